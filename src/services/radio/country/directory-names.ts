// The countries of ISO 3166-1, and Kosovo, under the names that the radio directory derives from their codes. It compares names
// character by character, so the names here must be exact.

const NAMES = `
AD Andorra|AE The United Arab Emirates|AF Afghanistan|AG Antigua And Barbuda|AI Anguilla|AL Albania|AM Armenia|AO Angola|
AQ Antarctica|AR Argentina|AS American Samoa|AT Austria|AU Australia|AW Aruba|AX Aland Islands|AZ Azerbaijan|
BA Bosnia And Herzegovina|BB Barbados|BD Bangladesh|BE Belgium|BF Burkina Faso|BG Bulgaria|BH Bahrain|BI Burundi|BJ Benin|
BL Saint Barthelemy|BM Bermuda|BN Brunei Darussalam|BO Bolivia|BQ Bonaire|BR Brazil|BS The Bahamas|BT Bhutan|BV Bouvet Island|
BW Botswana|BY Belarus|BZ Belize|CA Canada|CC The Cocos Keeling Islands|CD The Democratic Republic Of The Congo|
CF The Central African Republic|CG The Congo|CH Switzerland|CI Coted Ivoire|CK The Cook Islands|CL Chile|CM Cameroon|CN China|
CO Colombia|CR Costa Rica|CU Cuba|CV Cabo Verde|CW Curacao|CX Christmas Island|CY Cyprus|CZ Czechia|DE Germany|DJ Djibouti|
DK Denmark|DM Dominica|DO The Dominican Republic|DZ Algeria|EC Ecuador|EE Estonia|EG Egypt|EH Western Sahara|ER Eritrea|ES Spain|
ET Ethiopia|FI Finland|FJ Fiji|FK The Falkland Islands Malvinas|FM Federated States Of Micronesia|FO The Faroe Islands|FR France|
GA Gabon|GB The United Kingdom Of Great Britain And Northern Ireland|GD Grenada|GE Georgia|GF French Guiana|GG Guernsey|GH Ghana|
GI Gibraltar|GL Greenland|GM The Gambia|GN Guinea|GP Guadeloupe|GQ Equatorial Guinea|GR Greece|
GS South Georgia And The South Sandwich Islands|GT Guatemala|GU Guam|GW Guinea Bissau|GY Guyana|HK Hong Kong|
HM Heard Island And Mc Donald Islands|HN Honduras|HR Croatia|HT Haiti|HU Hungary|ID Indonesia|IE Ireland|IL Israel|
IM Isle Of Man|IN India|IO British Indian Ocean Territory|IQ Iraq|IR Islamic Republic Of Iran|IS Iceland|IT Italy|JE Jersey|
JM Jamaica|JO Jordan|JP Japan|KE Kenya|KG Kyrgyzstan|KH Cambodia|KI Kiribati|KM The Comoros|KN Saint Kitts And Nevis|
KP The Democratic Peoples Republic Of Korea|KR The Republic Of Korea|KW Kuwait|KY The Cayman Islands|KZ Kazakhstan|
LA The Lao Peoples Democratic Republic|LB Lebanon|LC Saint Lucia|LI Liechtenstein|LK Sri Lanka|LR Liberia|LS Lesotho|
LT Lithuania|LU Luxembourg|LV Latvia|LY Libya|MA Morocco|MC Monaco|MD The Republic Of Moldova|ME Montenegro|
MF Saint Martin French Part|MG Madagascar|MH The Marshall Islands|MK Republic Of North Macedonia|ML Mali|MM Myanmar|MN Mongolia|
MO Macao|MP The Northern Mariana Islands|MQ Martinique|MR Mauritania|MS Montserrat|MT Malta|MU Mauritius|MV Maldives|MW Malawi|
MX Mexico|MY Malaysia|MZ Mozambique|NA Namibia|NC New Caledonia|NE The Niger|NF Norfolk Island|NG Nigeria|NI Nicaragua|
NL The Netherlands|NO Norway|NP Nepal|NR Nauru|NU Niue|NZ New Zealand|OM Oman|PA Panama|PE Peru|PF French Polynesia|
PG Papua New Guinea|PH The Philippines|PK Pakistan|PL Poland|PM Saint Pierre And Miquelon|PN Pitcairn|PR Puerto Rico|
PS State Of Palestine|PT Portugal|PW Palau|PY Paraguay|QA Qatar|RE Reunion|RO Romania|RS Serbia|RU The Russian Federation|
RW Rwanda|SA Saudi Arabia|SB Solomon Islands|SC Seychelles|SD The Sudan|SE Sweden|SG Singapore|
SH Ascension And Tristan Da Cunha Saint Helena|SI Slovenia|SJ Svalbard And Jan Mayen|SK Slovakia|SL Sierra Leone|SM San Marino|
SN Senegal|SO Somalia|SR Suriname|SS South Sudan|ST Sao Tome And Principe|SV El Salvador|SX Sint Maarten Dutch Part|
SY Syrian Arab Republic|SZ Eswatini|TC The Turks And Caicos Islands|TD Chad|TF The French Southern Territories|TG Togo|
TH Thailand|TJ Tajikistan|TK Tokelau|TL Timor Leste|TM Turkmenistan|TN Tunisia|TO Tonga|TR Türkiye|TT Trinidad And Tobago|
TV Tuvalu|TW Taiwan, Republic Of China|TZ United Republic Of Tanzania|UA Ukraine|UG Uganda|
UM The United States Minor Outlying Islands|US The United States Of America|UY Uruguay|UZ Uzbekistan|VA The Holy See|
VC Saint Vincent And The Grenadines|VE Bolivarian Republic Of Venezuela|VG British Virgin Islands|VI US Virgin Islands|
VN Vietnam|VU Vanuatu|WF Wallis And Futuna|WS Samoa|XK Kosovo|YE Yemen|YT Mayotte|ZA South Africa|ZM Zambia|ZW Zimbabwe
`;

/**
 * The directory's name of each country, by its alpha-2 code in upper case. Kosovo has the code XK, which ISO reserves for users.
 */
export const DIRECTORY_NAMES: ReadonlyMap<string, string> = new Map(
  NAMES.trim()
    .split(/\|\n?/)
    .map((entry) => [entry.slice(0, 2), entry.slice(3)]),
);
