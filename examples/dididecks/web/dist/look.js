// Sets the chosen look before the first paint, so that nothing flashes.
try {
	var look = localStorage.getItem('dididecks:look');
	if (look === 'light' || look === 'dark') document.documentElement.dataset.look = look;
} catch (e) {
	// Storage is forbidden: the look of the system it is.
}
