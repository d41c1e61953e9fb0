# Die Texte, die Freiwillige lesen. Was ein Text bedeutet und wo er steht: siehe en.ftl.
#
# Begriffe: event = Veranstaltung; shift = Schicht; place = Platz; organizer = Veranstalter; organization = Organisation;
# volunteer = Helferin und Helfer; sign up = sich anmelden; cancel (a place) = absagen, (an event) = absagen; email = E-Mail.
# Anrede: Sie. Kurze, einfache Sätze.

## Pages

skip-to-main = Zum Inhalt springen
locale = de_DE
title-with-problem = Fehler: { $title }
title-cancelled = Abgesagt: { $title }
and = { $before } und { $last }
and-before-i = { $before } und { $last }

## Dates and times

weekday = { $number ->
    [1] Montag
    [2] Dienstag
    [3] Mittwoch
    [4] Donnerstag
    [5] Freitag
    [6] Samstag
   *[7] Sonntag
}
month = { $number ->
    [1] Januar
    [2] Februar
    [3] März
    [4] April
    [5] Mai
    [6] Juni
    [7] Juli
    [8] August
    [9] September
    [10] Oktober
    [11] November
   *[12] Dezember
}
day-of-month = { $number }.
date = { $weekday }, { $day } { $month } { $year }
date-without-year = { $weekday }, { $day } { $month }
date-without-month = { $weekday }, { $day }
plain-date = { $day } { $month } { $year }
plain-date-without-year = { $day } { $month }
date-range = { $first } bis { $last }
moment = { $date }, { $clock } Uhr { $offset }
opening = { $date }, um { $clock } Uhr
all-day = ganztägig
part-night = Nacht
part-morning = Vormittag
part-afternoon = Nachmittag
part-evening = Abend
end-of-day = 24:00
zone-of-place = Ortszeit { $place }
times-all-day = { $date }, ganztägig
times-of-day = { $date }, { $start }–{ $end }
times-overnight = { $dates }, { $first-day } { $start } bis { $last-day } { $end }
date-and-start = { $date }, { $start }

## The page of an event

looking-for-volunteers-html = { $organization } sucht Helferinnen und Helfer
label-when = Wann
label-where = Wo
label-contact = Kontakt
online = Online
online-note = (online)
event-cancelled = Diese Veranstaltung wurde abgesagt
event-cancelled-text = Eine Anmeldung ist nicht mehr möglich. Vielen Dank an alle, die helfen wollten.
organizers-reason = Grund der Absage
shifts = Schichten
shifts-on = Schichten am { $day }
zone-note = Alle Uhrzeiten sind in { $zone } angegeben.
choose-shift = { $shift } auswählen,
sign-up-for-html = Anmelden<span class="quiet"> für { $shift }, { $start }</span>
join-waiting-list = Auf die Warteliste
join-waiting-list-for-html = Auf die Warteliste<span class="quiet"> für { $shift }, { $start }</span>
sign-up-for-chosen = Für ausgewählte Schichten anmelden
show-only-open-shifts = Nur Schichten mit freien Plätzen zeigen
show-all-shifts = Alle Schichten zeigen
only-open-shifts-are-shown = Nur Schichten mit freien Plätzen werden angezeigt.
jump-to = Springen zu
places-left = { $capacity ->
    [one] { $left } von { $capacity } Platz frei
   *[other] { $left } von { $capacity } Plätzen frei
}
places-taken = { $capacity ->
    [one] { $taken } von { $capacity } Platz belegt
   *[other] { $taken } von { $capacity } Plätzen belegt
}
places-filled = Belegte Plätze
number-filled = { $filled } von { $capacity }
shift-full = Voll
shift-over = Vorbei
shift-cancelled = Abgesagt
shift-without-sign-up = Für diese Schicht ist keine Anmeldung möglich

summary = { $date }. { $text }
summary-cancelled = Abgesagt. { $date }. { $text }
summary-looking-for-volunteers = { $organization } sucht Helferinnen und Helfer.

event-over = Diese Veranstaltung ist vorbei
event-over-text = Vielen Dank an alle, die geholfen haben.
signups-ahead = Die Anmeldung öffnet am { $opening }
signups-ahead-text = Bitte schauen Sie dann wieder vorbei.
signups-closed = Die Anmeldung ist geschlossen
signups-closed-text = Für diese Veranstaltung kann sich derzeit niemand anmelden.
no-shifts = Noch keine Schichten
no-shifts-text = Sie können sich noch nicht anmelden. Bitte schauen Sie später wieder vorbei.
shifts-over = Die Anmeldung ist beendet
shifts-over-text = Alle Schichten sind vorbei.
no-sign-up = Derzeit keine Anmeldung möglich
no-sign-up-text = Für diese Schichten können Sie sich derzeit nicht anmelden.
no-places = Keine freien Plätze
no-places-text = Sagt jemand ab, wird der Platz hier angezeigt.
no-places-but-list-text = Sie können sich für eine Schicht auf die Warteliste setzen lassen.

## Why a form was refused, on the page of the event

choose-a-shift = Bitte wählen Sie eine Schicht aus
choose-a-shift-text = Setzen Sie bei jeder gewünschten Schicht ein Häkchen und wählen Sie dann „{ sign-up-for-chosen }“.
choose-fewer = Bitte wählen Sie höchstens { $max } Schichten auf einmal aus
choose-fewer-text = Für weitere Schichten können Sie sich danach anmelden.
cannot-sign-up = Eine Anmeldung ist leider nicht möglich
cancelled-meanwhile = Der Veranstalter hat die Veranstaltung abgesagt, während Sie das Formular ausgefüllt haben.
cannot-sign-up-for-these = Für diese Schichten können Sie sich derzeit nicht anmelden
shift-removed-text = Vielleicht hat der Veranstalter diese Schicht entfernt.
choose-another = Bitte wählen Sie eine andere Schicht.
some-places-saved = Wir konnten nur einen Teil Ihrer Plätze eintragen
some-sign-ups-saved = Ein Teil Ihrer Anmeldungen ist gespeichert
no-places-saved = Wir konnten leider keine Plätze eintragen
saved-for-html = Eingetragen für { $people }:
not-saved = Nicht eingetragen:
shift-and-times-html = { $shift }, { $times }
refused-shift-html = { $shift }, { $times }: { $reason }
mail-about-saved = Eine E-Mail mit allen Einzelheiten ist unterwegs.
keep-your-place = Falls Sie bereits einen Platz haben, behalten Sie ihn.
keep-your-place-and-mail = Falls Sie bereits einen Platz haben, behalten Sie ihn, und wir senden Ihnen per E-Mail einen Link dazu (höchstens einmal pro Stunde).

sorry-too-few-places = In dieser Schicht sind leider keine { $people } Plätze mehr frei
sorry-full = Diese Schicht ist leider voll
sorry-over = Diese Schicht ist leider schon vorbei
sorry-closed = Eine Anmeldung ist derzeit leider nicht möglich
sorry-unavailable = Diese Schicht gibt es leider nicht mehr

reason-too-few-places = es sind keine { $people } Plätze mehr frei
reason-full = sie ist voll
reason-over = sie ist vorbei
reason-closed = die Anmeldung ist geschlossen
reason-removed = der Veranstalter hat sie entfernt

## The form

sign-up-heading = Anmeldung
sign-up-title = Anmeldung: { $event }
join-waiting-list-title = Warteliste: { $event }
sign-up = Anmelden
there-is-a-problem = Bitte prüfen Sie Ihre Angaben
problem = Fehler:
your-shifts = { $count ->
    [one] Ihre Schicht
   *[other] Ihre { $count } Schichten
}
cannot-sign-up-for-this = Für diese Schicht können Sie sich nicht anmelden.
shifts-gone = { $count ->
    [one] Eine Schicht, die Sie ausgewählt haben, gibt es nicht mehr.
   *[other] { $count } Schichten, die Sie ausgewählt haben, gibt es nicht mehr.
}
choose-other-shifts = Andere Schichten auswählen
how-waiting-works = Ist bei Ihrer Anmeldung ein Platz frei, gehört er Ihnen. Wenn nicht, stehen Sie auf der Warteliste: Sobald ein Platz frei wird und Sie an der Reihe sind, gehört er Ihnen.
these-overlap = { $pairs ->
    [one] Diese beiden überschneiden sich:
   *[other] Diese Schichten überschneiden sich:
}
sign-up-anyway = { $pairs ->
    [one] Trotzdem für beide anmelden
   *[other] Trotzdem für alle anmelden
}
overlap-problem = Einige Schichten überschneiden sich. Setzen Sie das Häkchen, wenn Sie sich trotzdem anmelden möchten
too-many-places = { $people } Personen und { $shifts } Schichten sind zu viel für ein Formular. Es fasst höchstens { $max } Plätze. Wählen Sie weniger Schichten oder melden Sie einige Personen später an
your-name = Ihr Name
name = Name
email-address = E-Mail-Adresse
optional = (optional)
choose-an-option = Bitte auswählen
person-number = Person { $number }
person-hint = Bitte leer lassen, wenn Sie sonst niemanden anmelden.
add-person = Weitere Person hinzufügen
add-person-hint = Für Familie oder Freunde, die mitkommen. Jede Person bekommt einen eigenen Platz.
mail-with-details = Wir senden Ihnen per E-Mail alle Einzelheiten und einen Link, mit dem Sie absagen können.
no-mail = Sie erhalten keine E-Mail. Notieren Sie sich daher Tag und Uhrzeit.
use-of-details-html = { $organization } verwendet Ihre Angaben, um die Veranstaltung zu planen und Sie dazu zu kontaktieren.
privacy-notice-html = <a href="{ $link }" rel="noopener">Datenschutzhinweise lesen</a>.

field-name = Ihr Name
field-name-of-person = Der Name von Person { $number }
field-email = Ihre E-Mail-Adresse
field-answer = „{ $label }“
field-answer-of-person = „{ $label }“ (Person { $number })
too-long = { $field } darf höchstens { $max } Zeichen lang sein
has-line-break = { $field } muss in einer Zeile stehen
has-tab = { $field } enthält einen Tabulator. Verwenden Sie stattdessen Leerzeichen
has-unusable-characters = { $field } enthält Zeichen, die wir nicht verwenden können. Bitte geben Sie den Text neu ein
is-invisible = { $field } enthält keine sichtbaren Zeichen. Bitte geben Sie den Text neu ein
is-invisible-but-optional = { $field } enthält keine sichtbaren Zeichen. Geben Sie den Text neu ein oder lassen Sie das Feld leer
person-repeated = Person { $number } steht schon im Formular. Geben Sie jede Person nur einmal an
enter-name = Geben Sie Ihren Namen ein
enter-name-of-person = Geben Sie den Namen von Person { $number } ein
enter-email = Geben Sie Ihre E-Mail-Adresse ein
malformed-email = Geben Sie eine E-Mail-Adresse wie name@example.com ein
unusable-email = Geben Sie eine E-Mail-Adresse ein, die vor dem @ nur die Buchstaben a bis z, Ziffern und Zeichen wie . + - _ enthält
enter-answer = Geben Sie bei { $field } etwas ein
choose-answer = Wählen Sie bei { $field } etwas aus
tick-answer = Setzen Sie bei { $field } das Häkchen, um sich anzumelden

## The page after the form

place-saved = Ihr Platz ist eingetragen
places-saved = Ihre Plätze sind eingetragen
check-your-email = Bitte schauen Sie in Ihr E-Mail-Postfach
thank-you = Vielen Dank
place-saved-html = Wir haben für { $people } einen Platz in der Schicht { $shift } eingetragen.
places-saved-html = Wir haben für { $people } Plätze in der Schicht { $shift } eingetragen.
places-on-shifts-saved-html = Wir haben für { $people } Plätze in { $count } Schichten eingetragen.
sign-up-saved = Ihre Anmeldung ist gespeichert
sign-up-saved-html = Wir haben die Anmeldung für die Schicht { $shift } gespeichert: { $people }.
sign-ups-saved-html = Wir haben die Anmeldungen für { $count } Schichten gespeichert: { $people }.
place-or-list = War eine Schicht schon voll, stehen Sie auf ihrer Warteliste. Ob Sie einen Platz haben, steht in der E-Mail.
place-or-list-without-mail = War eine Schicht schon voll, stehen Sie auf ihrer Warteliste. Ob Sie einen Platz haben, erfahren Sie vom Veranstalter.
other-people = { $count ->
    [one] 1 weitere Person
   *[other] { $count } weitere Personen
}
number-of-people = { $count ->
    [one] 1 Person
   *[other] { $count } Personen
}
mail-on-its-way = Eine E-Mail mit allen Einzelheiten und einem Link zum Absagen ist unterwegs. Wenn sie in ein paar Minuten nicht da ist, sehen Sie im Spam-Ordner nach und suchen Sie nach einer früheren E-Mail von uns.
mail-on-its-way-html = Eine E-Mail an <strong dir="auto">{ $email }</strong> mit allen Einzelheiten und einem Link zum Absagen ist unterwegs. Wenn sie in ein paar Minuten nicht da ist, sehen Sie im Spam-Ordner nach und suchen Sie nach einer früheren E-Mail von uns.
wrong-address = Falsche Adresse? Bitten Sie den Veranstalter, sie zu korrigieren.
wrong-address-and-contact-html = Falsche Adresse? Bitten Sie den Veranstalter, sie zu korrigieren: { $contact }.
cannot-come = Wenn Sie nicht kommen können, sagen Sie dem Veranstalter Bescheid.
cannot-come-and-contact-html = Wenn Sie nicht kommen können, sagen Sie dem Veranstalter Bescheid: { $contact }.
given-address-html = Sie haben die E-Mail-Adresse <span dir="auto">{ $email }</span> angegeben. Falsche Adresse? Bitten Sie den Veranstalter, sie zu korrigieren.
label-event = Veranstaltung
label-day = Tag
label-time = Uhrzeit
add-to-calendar = In den Kalender eintragen
sign-somebody-else-up = Noch jemanden anmelden
choose-another-shift = Eine andere Schicht auswählen

## Pages without a form: what went wrong

page-not-found = Seite nicht gefunden
page-not-found-text = Wenn Sie die Webadresse eingetippt haben, prüfen Sie bitte, ob sie stimmt. Wenn Sie einem Link gefolgt sind, gibt es die Seite vielleicht nicht mehr. Fragen Sie die Person, von der Sie den Link haben.
to-start-page = Zur Startseite
service-problem = Leider ist ein Fehler aufgetreten
service-problem-text = Bitte versuchen Sie es gleich noch einmal. Wenn Sie sich gerade anmelden wollten, können Sie das Formular einfach noch einmal senden: Sie bekommen nur einen Platz.
too-many-attempts = Bitte warten Sie eine Minute
too-many-attempts-text = Das waren zu viele Versuche. Bitte versuchen Sie es in einer Minute noch einmal.
kept-what-you-typed = Ihre Angaben sind noch da.
try-again = Noch einmal versuchen
form-not-received = Ihr Formular ist leider nicht angekommen
form-too-large = Ihre Antworten sind zu lang. Gehen Sie zurück und kürzen Sie sie.
form-of-another-kind = Bitte verwenden Sie das Formular auf der Seite der Veranstaltung.
too-many-forms = Es kamen zu viele große Formulare auf einmal an. Gehen Sie zurück und versuchen Sie es gleich noch einmal.
form-too-slow = Die Übertragung Ihres Formulars hat zu lange gedauert. Gehen Sie zurück und versuchen Sie es noch einmal.
form-incomplete = Nur ein Teil Ihres Formulars ist angekommen. Gehen Sie zurück und versuchen Sie es noch einmal.
to-event = Zur Veranstaltung

## The page of all places, and its questions before a place is cancelled

your-places = Ihre Plätze
all-that-you-have = Hier sehen Sie alle Anmeldungen mit der E-Mail-Adresse { $email }.
coming-up = Demnächst
no-places-coming-up = Sie sind derzeit für keine Schicht angemeldet.
past-and-cancelled = Vorbei oder abgesagt
moved-html = <strong>Der Veranstalter hat Zeit oder Ort geändert.</strong> Bisher: <span dir="auto">{ $before }</span>
on-other-shift-html = { $count ->
    [one] <strong>Der Veranstalter hat diesen Platz in eine andere Schicht verlegt.</strong> Bisher: <span dir="auto">{ $before }</span>
   *[other] <strong>Der Veranstalter hat diese Plätze in eine andere Schicht verlegt.</strong> Bisher: <span dir="auto">{ $before }</span>
}
cancel-this-place = Diesen Platz absagen
cancel-this-place-html = Diesen Platz absagen<span class="quiet">: { $name }, { $shift }, { $start }</span>
on-waiting-list = Sie stehen auf der Warteliste.
place-in-line = Ihre Position: { $number }.
leave-waiting-list = Warteliste verlassen
leave-waiting-list-html = Warteliste verlassen<span class="quiet">: { $name }, { $shift }, { $start }</span>
checked-in = Sie sind als anwesend eingetragen.
your-calendar = Ihr Kalender
your-calendar-text = Wenn Sie diese Webadresse in Ihrem Kalender abonnieren, sehen Sie dort Ihre Plätze und jede Änderung. Geben Sie die Adresse nicht weiter: Wer sie hat, kann Ihre Plätze sehen und absagen.
question-html = Wenn Sie eine Frage haben, schreiben Sie an { $contact }.
label-who = Wer
label-what-to-do = Aufgaben
label-good-to-know = Gut zu wissen
answer-yes = Ja

place-over = Diese Schicht ist vorbei. Vielen Dank für Ihre Hilfe.
place-waited-until-over = Diese Schicht ist vorbei. Sie standen auf der Warteliste.
place-on-removed-shift = Der Veranstalter hat diese Schicht entfernt.
place-cancelled-by-you = { $count ->
    [one] Sie haben diesen Platz abgesagt.
   *[other] Sie haben diese Plätze abgesagt.
}
place-left-list = Sie haben die Warteliste verlassen.
place-taken-off-list = Der Veranstalter hat Sie von der Warteliste genommen.
place-cancelled-with-event = Der Veranstalter hat diese Veranstaltung abgesagt.
place-cancelled-with-shift = Der Veranstalter hat diese Schicht abgesagt.
place-cancelled-by-organizer = { $count ->
    [one] Der Veranstalter hat diesen Platz gestrichen.
   *[other] Der Veranstalter hat diese Plätze gestrichen.
}

cannot-cancel = Dieser Platz lässt sich leider nicht absagen
cannot-cancel-over = Diese Schicht ist vorbei. Sie können Ihren Platz daher nicht mehr absagen.
cannot-cancel-removed = Der Veranstalter hat diese Schicht entfernt. Es gibt daher nichts mehr abzusagen.
cancel-a-place = Einen Platz absagen
ask-to-cancel = Möchten Sie diesen Platz absagen?
place-becomes-free = Dann kann jemand anderes den Platz übernehmen.
check-in-is-taken-back = Sie sind dann nicht mehr als anwesend eingetragen.
mail-about-cancellation = Sie erhalten eine Bestätigung per E-Mail.
keep-this-place = Diesen Platz behalten
ask-to-leave-waiting-list = Möchten Sie die Warteliste verlassen?
list-starts-anew = Wenn Sie sich später wieder eintragen, stehen Sie am Ende der Liste.
stay-on-waiting-list = Auf der Warteliste bleiben
which-place = Welchen Platz möchten Sie absagen?
choose-the-place = Wählen Sie den Platz aus, den Sie absagen möchten
place-of-person-html = { $name }: { $shift }, { $times }
keep-all-places = Alle Plätze behalten

## The page that turns reminders or messages off

stop-reminders-question = Möchten Sie die Erinnerungen abbestellen?
reminders-off = Sie erhalten keine Erinnerungen mehr
reminders-on-again = Sie erhalten wieder Erinnerungen
reminders-on-text = Am Tag vor jeder Schicht schicken wir Ihnen eine E-Mail. Auch ohne diese E-Mails sagen wir Ihnen Bescheid, wenn sich eine Schicht ändert oder ausfällt.
reminders-off-text = Wir schicken Ihnen vor Ihren Schichten keine E-Mail mehr. Wenn sich eine Schicht ändert oder ausfällt, sagen wir Ihnen weiterhin Bescheid.
turn-reminders-on = Erinnerungen wieder einschalten
stop-messages-question = Möchten Sie die Nachrichten abbestellen?
messages-off = Sie erhalten keine Nachrichten mehr
messages-on-again = Sie erhalten wieder Nachrichten
messages-on-text = Der Veranstalter kann allen Angemeldeten Nachrichten schicken. Auch ohne diese E-Mails sagen wir Ihnen Bescheid, wenn sich eine Schicht ändert oder ausfällt.
messages-off-text = Die Nachrichten des Veranstalters erreichen Sie nicht mehr. Wenn sich eine Schicht ändert oder ausfällt, sagen wir Ihnen weiterhin Bescheid.
turn-messages-off = Nachrichten abbestellen
turn-messages-on = Nachrichten wieder einschalten
to-your-places = Ihre Plätze ansehen

## Emails

greeting = Guten Tag!
greeting-with-name = Guten Tag, { $name }!
fact = { $label }: { $value }
with-colon = { $text }:
label-shift = Schicht
label-shift-was = Bisherige Schicht
label-shift-now = Neue Schicht
label-when-was = Bisherige Zeit
label-when-now = Neue Zeit
label-where-was = Bisheriger Ort
label-where-now = Neuer Ort
label-overlaps-with = Überschneidet sich mit
label-place-in-line = Position auf der Warteliste
no-place-given = Nicht angegeben.
no-new-place = Der Veranstalter hat noch keinen neuen Ort angegeben.
about-event = Über die Veranstaltung
about-shift = Über die Schicht
about = Über { $shift }
your-answers = Ihre Antworten
your-answers-for = Ihre Antworten für { $shifts }
answers-of = Antworten für { $shifts } ({ $people })
hidden-answer = (siehe Einzelheiten)
all-your-places = Alle Ihre Plätze bei dieser Veranstaltung
no-places-left = Sie haben bei dieser Veranstaltung keine Plätze mehr.
see-your-places = Ihre Plätze ansehen, in den Kalender eintragen oder absagen
see-your-place-in-line = Position auf der Warteliste ansehen oder Warteliste verlassen
when-waiting = { $when }, auf der Warteliste
see-the-details = Einzelheiten ansehen
see-the-event = Veranstaltung ansehen
stop-reminders = Erinnerungen abbestellen
stop-messages = Nachrichten des Veranstalters abbestellen
questions-html = Fragen? Schreiben Sie an <a href="{ $link }">{ $contact }</a>.
questions = Fragen? Schreiben Sie an { $contact }.
the-organizer = Der Veranstalter
more-people = { $count ->
    [one] { $count } weitere Person
   *[other] { $count } weitere Personen
}
number-of-shifts = { $count } Schichten
your-shifts-heading = { $count ->
    [one] Ihre Schicht
   *[other] Ihre Schichten
}
message-heading = { $organization } hat Ihnen eine Nachricht zu { $event } geschickt

subject = { $what }: { $event } – { $shift }, { $day }
subject-from = { $what }: { $event } – { $shift } ab { $day }
subject-from-clock = { $what }: { $event } – { $shift } ab { $clock } Uhr
subject-without-clock = { $what }: { $event } – { $shift }
subject-of-event = { $what }: { $event }, { $day }
subject-of-event-from = { $what }: { $event } ab { $day }
subject-changed = Geändert
subject-cancelled = Abgesagt
today = Heute
tomorrow = Morgen
reminder = Erinnerung
you-signed-up = Sie sind angemeldet
people-signed-up = { $count ->
    [one] { $people } ist angemeldet
   *[other] { $people } sind angemeldet
}
you-have-place = Sie haben jetzt einen Platz
people-have-places = { $count ->
    [one] { $people } hat jetzt einen Platz
   *[other] { $people } haben jetzt Plätze
}
you-wait = Sie stehen auf der Warteliste
people-wait = { $count ->
    [one] { $people } steht auf der Warteliste
   *[other] { $people } stehen auf der Warteliste
}
off-list = Nicht mehr auf der Warteliste

you-signed-up-for = Sie sind für { $shift } angemeldet
people-signed-up-for = { $count ->
    [one] { $people } ist für { $shift } angemeldet
   *[other] { $people } sind für { $shift } angemeldet
}
you-have-place-on = { $places ->
    [one] Sie haben jetzt einen Platz für { $shift }
   *[other] Sie haben jetzt Plätze für { $shift }
}
people-have-places-on = { $count ->
    [one] { $people } hat jetzt einen Platz für { $shift }
   *[other] { $people } haben jetzt Plätze für { $shift }
}
you-wait-for = Sie stehen auf der Warteliste für { $shift }
people-wait-for = { $count ->
    [one] { $people } steht auf der Warteliste für { $shift }
   *[other] { $people } stehen auf der Warteliste für { $shift }
}
organizer-took-you-off-list = Der Veranstalter hat Sie von der Warteliste genommen
organizer-took-people-off-list = Der Veranstalter hat { $people } von der Warteliste genommen
you-left-list = Sie haben die Warteliste verlassen
you-took-people-off-list = Sie haben { $people } von der Warteliste genommen
you-already-have = { $places ->
    [one] Sie haben bereits einen Platz
   *[other] Sie haben bereits Plätze
}
person-already-has = { $places ->
    [one] { $people } hat bereits einen Platz
   *[other] { $people } hat bereits Plätze
}
people-already-have = { $people } haben bereits Plätze
this-shift-cancelled = Diese Schicht wurde abgesagt
these-shifts-cancelled = Diese Schichten wurden abgesagt
organizer-cancelled-yours = { $places ->
    [one] Der Veranstalter hat Ihren Platz gestrichen
   *[other] Der Veranstalter hat Ihre Plätze gestrichen
}
organizer-cancelled = { $places ->
    [one] Der Veranstalter hat den Platz für { $people } gestrichen
   *[other] Der Veranstalter hat die Plätze für { $people } gestrichen
}
you-cancelled-yours = { $places ->
    [one] Sie haben Ihren Platz abgesagt
   *[other] Sie haben Ihre Plätze abgesagt
}
you-cancelled = { $places ->
    [one] Sie haben den Platz für { $people } abgesagt
   *[other] Sie haben die Plätze für { $people } abgesagt
}
you-were-moved-to = { $count ->
    [one] Der Veranstalter hat Sie auf die Schicht { $shift } umgebucht
   *[other] Der Veranstalter hat Sie auf { $shift } umgebucht
}
people-were-moved-to = { $count ->
    [one] Der Veranstalter hat { $people } auf die Schicht { $shift } umgebucht
   *[other] Der Veranstalter hat { $people } auf { $shift } umgebucht
}
shift-moved-to = Ihre Schicht ist jetzt am { $day }
shift-changed = Ihre Schicht hat sich geändert
shifts-changed = Ihre Schichten haben sich geändert
shifts-today = { $shifts ->
    [one] Ihre Schicht ist heute
   *[other] Ihre Schichten sind heute
}
shifts-tomorrow = { $shifts ->
    [one] Ihre Schicht ist morgen
   *[other] Ihre Schichten sind morgen
}
shifts-soon = { $shifts ->
    [one] Ihre Schicht ist am { $day }
   *[other] Ihre Schichten beginnen am { $day }
}

event-cancelled-intro = Der Veranstalter hat diese Veranstaltung abgesagt. Sie findet nicht statt. Vielen Dank, dass Sie helfen wollten.
shift-cancelled-intro = Der Veranstalter hat diese Schicht abgesagt. Es muss also niemand kommen. Vielen Dank, dass Sie helfen wollten.
shifts-cancelled-intro = Der Veranstalter hat diese Schichten abgesagt. Es muss also niemand kommen. Vielen Dank, dass Sie helfen wollten.
organizer-cancelled-intro = Vielen Dank, dass Sie helfen wollten.
you-cancelled-intro = Danke, dass Sie Bescheid gesagt haben.
signed-up-intro = Vielen Dank. Wir freuen uns auf Sie.
promoted-intro = { $places ->
    [one] Ein Platz ist frei geworden und gehört jetzt Ihnen. Falls Sie doch nicht kommen können, sagen Sie Ihren Platz bitte ab. Dann rückt die nächste Person von der Warteliste nach.
   *[other] Es sind Plätze frei geworden, und sie gehören jetzt Ihnen. Falls Sie doch nicht kommen können, sagen Sie Ihre Plätze bitte ab. Dann rücken die nächsten Personen von der Warteliste nach.
}
waiting-intro = Damit ist noch kein Platz sicher, denn die Schicht ist voll. Sobald ein Platz frei wird und Sie an der Reihe sind, gehört er Ihnen. Wir schicken Ihnen dann eine E-Mail.
waiting-asked-again = Sie haben sich mit dieser E-Mail-Adresse noch einmal angemeldet. Deshalb schicken wir Ihnen eine Übersicht Ihrer Anmeldungen. Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren. Sie haben noch keinen Platz: Wir schicken Ihnen eine E-Mail, sobald Sie an der Reihe sind.
reminder-intro = { $shifts ->
    [one] Vielen Dank für Ihre Hilfe. Falls Sie nicht kommen können, sagen Sie Ihren Platz bitte ab, damit jemand anderes einspringen kann.
   *[other] Vielen Dank für Ihre Hilfe. Falls Sie nicht kommen können, sagen Sie Ihre Plätze bitte ab, damit andere einspringen können.
}
on-other-shift-intro = Wenn Ihnen das passt, müssen Sie nichts weiter tun. Falls Sie nicht kommen können, sagen Sie bitte ab, damit jemand anderes helfen kann.
time-and-place-changed = Zeit und Ort haben sich geändert.
time-changed = Die Zeit hat sich geändert.
place-changed = Der Ort hat sich geändert.
still-signed-up = Sie sind weiterhin angemeldet.
still-waiting = Sie stehen weiterhin auf der Warteliste.
asked-again = Sie haben sich mit dieser E-Mail-Adresse noch einmal angemeldet. Deshalb schicken wir Ihnen eine Übersicht Ihrer Plätze. Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren. Sie können mit derselben E-Mail-Adresse auch andere Personen anmelden: Jede Person bekommt einen eigenen Platz.
corrected = In einer früheren E-Mail standen möglicherweise andere Zeiten oder Orte. Es gelten die Angaben in dieser E-Mail.
