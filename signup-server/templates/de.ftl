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
zone-note = Alle Uhrzeiten: { $zone }.
choose-shift = { $shift } auswählen,
sign-up-for-html = Anmelden<span class="quiet"> für { $shift }, { $start }</span>
sign-up-for-chosen = Für die ausgewählten Schichten anmelden
places-left = { $capacity ->
    [one] { $left } von { $capacity } Platz frei
   *[other] { $left } von { $capacity } Plätzen frei
}
places-filled = Belegte Plätze
number-filled = { $filled } von { $capacity }
shift-full = Voll
shift-over = Vorbei
shift-cancelled = Abgesagt
shift-without-sign-up = Keine Anmeldung für diese Schicht

summary = { $date }. { $text }
summary-cancelled = Abgesagt. { $date }. { $text }
summary-looking-for-volunteers = { $organization } sucht Helferinnen und Helfer.

event-over = Diese Veranstaltung ist vorbei
event-over-text = Vielen Dank an alle, die geholfen haben.
signups-ahead = Die Anmeldung öffnet am { $opening }
signups-ahead-text = Bitte kommen Sie dann wieder.
signups-closed = Die Anmeldung ist geschlossen
signups-closed-text = Für diese Veranstaltung kann sich derzeit niemand anmelden.
no-shifts = Noch keine Schichten
no-shifts-text = Derzeit gibt es noch nichts, wofür Sie sich anmelden können. Bitte schauen Sie später wieder vorbei.
shifts-over = Die Anmeldung ist beendet
shifts-over-text = Alle Schichten sind vorbei.
no-sign-up = Derzeit keine Anmeldung
no-sign-up-text = Für diese Schichten können Sie sich derzeit nicht anmelden.
no-places = Keine freien Plätze
no-places-text = Sagt jemand ab, wird der Platz hier angezeigt.

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
no-places-saved = Wir konnten leider keine Plätze eintragen
saved-for-html = Eingetragen für { $people }:
not-saved = Nicht eingetragen:
shift-and-times-html = { $shift }, { $times }
refused-shift-html = { $shift }, { $times }: { $reason }
mail-about-saved = Eine E-Mail zu den eingetragenen Plätzen ist unterwegs.
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
