package api

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// detail is one made-up personal detail and the sentence that it stands in.
type detail struct{ kind, value, sentence string }

// tongue is how people of one language write of themselves. A sentence has one %s.
type tongue struct {
	name, country, domain string
	words                 []string
	sentences             map[string]string
	phones                []string // # is a digit, * one from 2 to 9
	nationalID            func(*rand.Rand) string
	zero                  rune // the digits of its phone numbers begin here
}

var tongues = []tongue{
	{"English", "GB", "example.co.uk", strings.Fields("harper quinn rowan ellis"), map[string]string{"email": "You can write to %s.", "phone": "Please call %s tonight.", "card": "My card is %s, thanks.",
		"iban": "Pay to %s now.", "national_id": "My social security number is %s.", "secret": "The key was %s until today.", "employee": "I am %s here."},
		[]string{"+44 20 7### ####", "+1 (***) *##-####", "***-*##-####", "07### ######"}, func(r *rand.Rand) string { return filled(r, "1##-*#-###1") }, '0'},
	{"German", "DE", "beispiel.de", strings.Fields("jürgen anneliese köhler"), map[string]string{"email": "Schreiben Sie an %s!", "phone": "Meine Nummer: %s.", "card": "Karte %s bitte.",
		"iban": "Überweisen Sie auf %s.", "national_id": "Die Steuer-ID ist %s.", "secret": "Der Schlüssel %s ist alt.", "employee": "Personalnummer %s, danke."},
		[]string{"+49 151 ########", "0*## #######", "(030) *######", "0049 89 *#####"}, steuerID, '0'},
	{"French", "FR", "exemple.fr", strings.Fields("hélène benoît zoé"), map[string]string{"email": "Écrivez à %s.", "phone": "Mon numéro est le %s, merci.", "card": "Carte : %s.",
		"iban": "Virez sur %s.", "national_id": "Mon numéro de sécu est %s.", "secret": "La clé %s ne sert plus.", "employee": "Matricule %s."},
		[]string{"+33 6 ## ## ## ##", "06 ## ## ## ##", "01.##.##.##.##"}, nir, '0'},
	{"Spanish", "ES", "ejemplo.es", strings.Fields("íñigo maría lucía"), map[string]string{"email": "Escribe a %s.", "phone": "Llámame al móvil %s.", "card": "La tarjeta %s es mía.",
		"iban": "Ingresa en %s.", "national_id": "Mi DNI es %s.", "secret": "La clave %s caducó.", "employee": "Soy el empleado %s."},
		[]string{"+34 6## ### ###", "6## ### ###", "6########"}, dni, '0'},
	{"Italian", "IT", "esempio.it", strings.Fields("niccolò giulia perla"), map[string]string{"email": "Scrivi a %s.", "phone": "Il cellulare è %s.", "card": "La carta è %s.",
		"iban": "Bonifico su %s.", "national_id": "Codice fiscale %s.", "secret": "La chiave %s è vecchia.", "employee": "Matricola %s."},
		[]string{"+39 3## *######", "3## *## ####", "06 ########"}, codiceFiscale, '0'},
	{"Portuguese", "PT", "exemplo.com.br", strings.Fields("joão conceição inês"), map[string]string{"email": "Escreva para %s.", "phone": "Meu celular é %s.", "card": "O cartão %s é meu.",
		"iban": "Transfira para %s.", "national_id": "Meu CPF é %s.", "secret": "A chave %s expirou.", "employee": "Sou o funcionário %s."},
		[]string{"+55 11 9####-####", "(11) 9####-####", "+351 9## ### ###"}, cpf, '0'},
	{"Polish", "PL", "przyklad.pl", strings.Fields("łukasz żaneta świt"), map[string]string{"email": "Proszę pisać na %s.", "phone": "Mój telefon to %s.", "card": "Karta %s jest moja.",
		"iban": "Przelew na %s.", "national_id": "PESEL: %s.", "secret": "Klucz %s wygasł.", "employee": "Jestem %s."},
		[]string{"+48 *## ### ###", "6## ### ###", "5########"}, pesel, '0'},
	{"Japanese", "FR", "example.jp", strings.Fields("tanaka suzuki kato"), map[string]string{"email": "メールは%sです。", "phone": "電話は%sです。", "card": "カードは%sです。",
		"iban": "口座は%sです。", "national_id": "マイナンバーは%sです。", "secret": "鍵は%sです。", "employee": "社員番号は%sです。"},
		[]string{"090-####-####", "03-####-####", "+81 90 #### ####"}, myNumber, '0'},
	{"Hindi", "GB", "udaharan.in", strings.Fields("priya arjun मीरा"), map[string]string{"email": "मुझे %s पर लिखें।", "phone": "मेरा मोबाइल %s है।", "card": "मेरा कार्ड %s है।",
		"iban": "खाता %s है।", "national_id": "मेरा आधार %s है।", "secret": "कुंजी %s पुरानी है।", "employee": "मैं कर्मचारी %s हूँ।"},
		[]string{"+91 9#### #####", "8#### #####", "9#########"}, aadhaar, '०'},
	{"Arabic", "SA", "mithal.sa", strings.Fields("layla omar نور"), map[string]string{"email": "راسلني على %s اليوم.", "phone": "هاتفي %s الآن.", "card": "بطاقتي %s هنا.",
		"iban": "الحساب %s للتحويل.", "national_id": "kimlik %s.", "secret": "المفتاح %s قديم.", "employee": "أنا الموظف %s هنا."},
		[]string{"+966 5# ### ####", "010########", "+971 5# ### ####"}, tckn, '٠'},
}

// kindsEach is what 25 details of a language are, twice a language.
var kindsEach = map[string]int{"email": 6, "phone": 7, "card": 3, "iban": 3, "national_id": 3, "secret": 2, "employee": 1}

// details makes 25 of a language, no value twice.
func (g tongue) details(rng *rand.Rand, seen map[string]bool) (list []detail) {
	for _, kind := range []string{"email", "phone", "card", "iban", "national_id", "secret", "employee"} {
		for n := 0; n < kindsEach[kind]; {
			value := g.value(rng, kind)
			if seen[value] {
				continue
			}
			seen[value] = true
			n++
			list = append(list, detail{kind, value, fmt.Sprintf(g.sentences[kind], value)})
		}
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func (g tongue) value(rng *rand.Rand, kind string) string {
	switch kind {
	case "email":
		return fmt.Sprintf("%s.%s%d@mail%d.%s", pick(rng, g.words), pick(rng, []string{"a", "work", "x-y"}), rng.IntN(10_000), rng.IntN(100), g.domain)
	case "phone":
		return script(filled(rng, pick(rng, g.phones)), g.zero)
	case "card":
		return card(rng)
	case "iban":
		return iban(rng, g.country)
	case "national_id":
		return g.nationalID(rng)
	case "secret":
		return anthropicKey(rng)
	default:
		return filled(rng, "EMP-#####")
	}
}

func pick(rng *rand.Rand, list []string) string { return list[rng.IntN(len(list))] }

// filled draws the digits of a pattern.
func filled(rng *rand.Rand, pattern string) string {
	out := []byte(pattern)
	for i, b := range out {
		switch b {
		case '#':
			out[i] = byte('0' + rng.IntN(10))
		case '*':
			out[i] = byte('2' + rng.IntN(8))
		}
	}
	return string(out)
}

// script writes digits as a language does.
func script(number string, zero rune) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return zero + r - '0'
		}
		return r
	}, number)
}

// searched draws numbers until one is right; ok is written by the book of each.
func searched(draw func() string, ok func(d []int) bool) string {
	for {
		number := draw()
		var d []int
		for _, r := range number {
			if r >= '0' && r <= '9' {
				d = append(d, int(r-'0'))
			}
		}
		if ok(d) {
			return number
		}
	}
}

func weighted(d []int, w ...int) (sum int) {
	for i := range w {
		sum += d[i] * w[i]
	}
	return sum
}

func card(rng *rand.Rand) string {
	form := pick(rng, []string{"4### #### #### ####", "5###-####-####-####", "37#############", "4###############"})
	return searched(func() string { return filled(rng, form) }, func(d []int) bool {
		sum := 0
		for i := range d {
			n := d[len(d)-1-i]
			if i%2 == 1 {
				n = n*2/10 + n*2%10
			}
			sum += n
		}
		return sum%10 == 0
	})
}

// iban makes an account number of a country with its check digits.
func iban(rng *rand.Rand, country string) string {
	body := map[string]string{"GB": "NWBK##############", "DE": "##################", "FR": "#######################", "ES": "####################", "IT": "X######################",
		"PT": "#####################", "PL": "########################", "SA": "####################"}[country]
	body = filled(rng, body)
	rest := 0
	for _, r := range body + country + "00" {
		n, digits := int(r-'0'), 10
		if r >= 'A' {
			n, digits = int(r-'A')+10, 100
		}
		rest = (rest*digits + n) % 97
	}
	flat := fmt.Sprintf("%s%02d%s", country, 98-rest, body)
	if rng.IntN(2) == 0 {
		return flat
	}
	var groups []string
	for len(flat) > 4 {
		groups, flat = append(groups, flat[:4]), flat[4:]
	}
	return strings.Join(append(groups, flat), " ")
}

func number(d []int) (n int) {
	for _, digit := range d {
		n = n*10 + digit
	}
	return n
}

func nir(rng *rand.Rand) string {
	return searched(func() string {
		return fmt.Sprintf("%d %02d %02d %s", 1+rng.IntN(2), rng.IntN(100), 1+rng.IntN(12), filled(rng, "7# ### ### ##"))
	}, func(d []int) bool { return number(d[13:]) == 97-number(d[:13])%97 })
}

func dni(rng *rand.Rand) string {
	n := 10_000_000 + rng.IntN(89_999_999)
	return strconv.Itoa(n) + "TRWAGMYFPDXBNJZSQVHLCKE"[n%23:][:1]
}

func cpf(rng *rand.Rand) string {
	check := func(d []int) int {
		sum := 0
		for i, n := range d {
			sum += n * (len(d) + 1 - i)
		}
		return sum * 10 % 11 % 10
	}
	return searched(func() string { return filled(rng, "###.###.###-##") }, func(d []int) bool { return check(d[:9]) == d[9] && check(d[:10]) == d[10] })
}

func pesel(rng *rand.Rand) string {
	return searched(func() string {
		return fmt.Sprintf("%02d%02d%02d%s", 40+rng.IntN(60), 1+rng.IntN(12), 1+rng.IntN(28), filled(rng, "#####"))
	},
		func(d []int) bool { return weighted(d, 1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)%10 == 0 })
}

func myNumber(rng *rand.Rand) string {
	return searched(func() string { return filled(rng, "#### #### ####") }, func(d []int) bool {
		rest := weighted(d, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2) % 11
		return rest > 1 && d[11] == 11-rest || rest <= 1 && d[11] == 0
	})
}

func tckn(rng *rand.Rand) string {
	return searched(func() string { return filled(rng, "*##########") }, func(d []int) bool {
		odd, even := d[0]+d[2]+d[4]+d[6]+d[8], d[1]+d[3]+d[5]+d[7]
		return (odd*7+10*even-even)%10 == d[9] && (odd+even+d[9])%10 == d[10]
	})
}

// steuerID makes ten digits of which one stands twice, and the check digit of MOD 11,10.
func steuerID(rng *rand.Rand) string {
	d := rng.Perm(10)
	d[9] = d[rng.IntN(9)]
	if d[0] == 0 {
		d[0], d[1] = d[1], d[0]
	}
	if d[0] == 0 {
		return steuerID(rng)
	}
	product := 10
	for _, n := range d {
		sum := (n + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return fmt.Sprintf("%d%d %d%d%d %d%d%d %d%d%d", d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], d[8], d[9], (11-product)%10)
}

// aadhaar searches the check digit by the tables of the dihedral group.
func aadhaar(rng *rand.Rand) string {
	times := func(a, b int) int {
		if a < 5 && b < 5 {
			return (a + b) % 5
		}
		if a < 5 {
			return 5 + (a+b-5)%5
		}
		if b < 5 {
			return 5 + (a-5-b+5)%5
		}
		return (a - b + 5) % 5
	}
	swap := []int{1, 5, 7, 6, 2, 8, 3, 0, 9, 4}
	return searched(func() string { return filled(rng, "*### #### ####") }, func(d []int) bool {
		check := 0
		for i := range d {
			n := d[len(d)-1-i]
			for range i % 8 {
				n = swap[n]
			}
			check = times(check, n)
		}
		return check == 0
	})
}

func codiceFiscale(rng *rand.Rand) string {
	odd := []int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	var b strings.Builder
	for _, f := range "LLLLLL##M##L###" {
		switch f {
		case 'L':
			b.WriteByte(byte('A' + rng.IntN(26)))
		case 'M':
			b.WriteString(pick(rng, strings.Split("ABCDEHLMPRST", "")))
		default:
			b.WriteByte(byte('0' + rng.IntN(10)))
		}
	}
	sum := 0
	for i, r := range b.String() {
		n := int(r - '0')
		if r >= 'A' {
			n = int(r - 'A')
		}
		if i%2 == 0 {
			n = odd[n]
		}
		sum += n
	}
	return b.String() + string(rune('A'+sum%26))
}
