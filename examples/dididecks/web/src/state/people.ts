/** The people of the demo, and what each shows. */
export interface Person {
	id: string;
	name: string;
	role: string;
	shows: string;
}

export const people: readonly Person[] = [
	{
		id: 'demo',
		name: 'Demo',
		role: 'A first look',
		shows: 'No key, no account: a scripted model answers, so you can try everything at once.'
	},
	{
		id: 'lin',
		name: 'Lin',
		role: 'Lingering client',
		shows: 'Brings their own model key. Until one is stored, the chat asks for it.'
	},
	{
		id: 'pay',
		name: 'Pay',
		role: 'Paying client',
		shows: 'Uses the key of the server; without one the scripted model steps in.'
	},
	{
		id: 'adm',
		name: 'Adm',
		role: 'Paying client, admin',
		shows: 'Shares Pay’s deck and has the rights of an org’s admin.'
	},
	{
		id: 'view',
		name: 'View',
		role: 'Paying client, viewer',
		shows: 'May look and ask. Capabilities that change something are not offered.'
	}
];

export const personOf = (id: string): Person | undefined => people.find((p) => p.id === id);
