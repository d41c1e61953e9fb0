# Les textes que lisent les bénévoles. Le sens et l'emplacement de chaque texte : voir en.ftl.
#
# Termes : event = événement ; shift = créneau ; place = place ; organizer = organisateur ; organization = organisation ;
# volunteer = bénévole ; sign up = s'inscrire ; cancel = annuler ; email = e-mail.
# Vouvoiement. Phrases courtes et simples. Espace fine insécable (U+202F) avant : ; ! ? et à l'intérieur des guillemets.

## Pages

skip-to-main = Aller au contenu principal
locale = fr_FR
title-with-problem = Erreur : { $title }
title-cancelled = Annulé : { $title }
and = { $before } et { $last }
and-before-i = { $before } et { $last }

## Dates and times

weekday = { $number ->
    [1] lundi
    [2] mardi
    [3] mercredi
    [4] jeudi
    [5] vendredi
    [6] samedi
   *[7] dimanche
}
month = { $number ->
    [1] janvier
    [2] février
    [3] mars
    [4] avril
    [5] mai
    [6] juin
    [7] juillet
    [8] août
    [9] septembre
    [10] octobre
    [11] novembre
   *[12] décembre
}
day-of-month = { $number ->
    [1] 1er
   *[other] { $number }
}
date = { $weekday } { $day } { $month } { $year }
date-without-year = { $weekday } { $day } { $month }
date-without-month = { $weekday } { $day }
plain-date = { $day } { $month } { $year }
plain-date-without-year = { $day } { $month }
date-range = du { $first } au { $last }
moment = { $date }, { $clock } { $offset }
opening = { $date } à { $clock }
all-day = toute la journée
end-of-day = 24:00
zone-of-place = heure locale à { $place }
times-all-day = { $date }, toute la journée
times-of-day = { $date }, { $start }–{ $end }
times-overnight = { $dates }, de { $first-day } { $start } à { $last-day } { $end }
date-and-start = { $date }, { $start }

## The page of an event

looking-for-volunteers-html = { $organization } recherche des bénévoles
label-when = Date
label-where = Lieu
label-contact = Contact
online = En ligne
online-note = (en ligne)
event-cancelled = Cet événement est annulé
event-cancelled-text = Vous ne pouvez plus vous inscrire. Merci à toutes les personnes qui ont proposé leur aide.
organizers-reason = Motif de l’annulation
shifts = Créneaux
shifts-on = Créneaux du { $day }
zone-note = Les horaires sont en { $zone }.
choose-shift = Choisir { $shift },
sign-up-for-html = S’inscrire<span class="quiet"> au créneau { $shift }, { $start }</span>
sign-up-for-chosen = S’inscrire aux créneaux choisis
places-left = { $left ->
    [one] { $left } place libre sur { $capacity }
   *[other] { $left } places libres sur { $capacity }
}
places-filled = Places prises
number-filled = { $filled } sur { $capacity }
shift-full = Complet
shift-over = Terminé
shift-cancelled = Annulé
shift-without-sign-up = Pas d’inscription pour ce créneau

summary = { $date }. { $text }
summary-cancelled = Annulé. { $date }. { $text }
summary-looking-for-volunteers = { $organization } recherche des bénévoles.

event-over = Cet événement est terminé
event-over-text = Merci à toutes les personnes qui ont aidé.
signups-ahead = Les inscriptions ouvrent le { $opening }
signups-ahead-text = Revenez à ce moment-là.
signups-closed = Les inscriptions sont fermées
signups-closed-text = Personne ne peut s’inscrire à cet événement pour le moment.
no-shifts = Pas encore de créneaux
no-shifts-text = Il n’y a rien à quoi s’inscrire pour le moment. Revenez plus tard.
shifts-over = Les inscriptions sont terminées
shifts-over-text = Tous les créneaux sont passés.
no-sign-up = Pas d’inscription pour le moment
no-sign-up-text = Vous ne pouvez pas vous inscrire à ces créneaux pour le moment.
no-places = Complet
no-places-text = Si quelqu’un annule, sa place s’affichera ici.

## Why a form was refused, on the page of the event

choose-a-shift = Choisissez un créneau
choose-a-shift-text = Cochez chaque créneau qui vous intéresse, puis sélectionnez « { sign-up-for-chosen } ».
choose-fewer = Choisissez au plus { $max } créneaux à la fois
choose-fewer-text = Vous pourrez vous inscrire à d’autres créneaux ensuite.
cannot-sign-up = Vous ne pouvez malheureusement pas vous inscrire
cancelled-meanwhile = L’organisateur a annulé l’événement pendant que vous remplissiez le formulaire.
cannot-sign-up-for-these = Vous ne pouvez pas vous inscrire à ces créneaux pour le moment
shift-removed-text = L’organisateur a peut-être supprimé ce créneau.
choose-another = Choisissez un autre créneau.
some-places-saved = Nous n’avons pu enregistrer qu’une partie de vos places
no-places-saved = Nous n’avons malheureusement pu enregistrer aucune place
saved-for-html = Places enregistrées pour { $people } :
not-saved = Non enregistrées :
shift-and-times-html = { $shift }, { $times }
refused-shift-html = { $shift }, { $times } : { $reason }
mail-about-saved = Un e-mail concernant les places enregistrées est en route.
keep-your-place = Si vous avez déjà une place, vous la gardez.
keep-your-place-and-mail = Si vous avez déjà une place, vous la gardez, et nous vous envoyons un lien par e-mail (au plus une fois par heure).

sorry-too-few-places = Il ne reste malheureusement pas { $people } places sur ce créneau
sorry-full = Ce créneau est malheureusement complet
sorry-over = Ce créneau est malheureusement passé
sorry-closed = Les inscriptions sont malheureusement fermées
sorry-unavailable = Ce créneau n’est malheureusement plus disponible

reason-too-few-places = il n’y reste pas { $people } places
reason-full = il est complet
reason-over = il est passé
reason-closed = les inscriptions sont fermées
reason-removed = l’organisateur l’a supprimé
