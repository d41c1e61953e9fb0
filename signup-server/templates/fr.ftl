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
part-night = Nuit
part-morning = Matin
part-afternoon = Après-midi
part-evening = Soir
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
zone-note = Fuseau horaire : { $zone }.
choose-shift = Choisir { $shift },
sign-up-for-html = S’inscrire<span class="quiet"> au créneau { $shift }, { $start }</span>
join-waiting-list = S’inscrire sur la liste d’attente
join-waiting-list-for-html = S’inscrire sur la liste d’attente<span class="quiet"> : { $shift }, { $start }</span>
sign-up-for-chosen = S’inscrire aux créneaux choisis
show-only-open-shifts = Afficher seulement les créneaux libres
show-all-shifts = Afficher tous les créneaux
only-open-shifts-are-shown = Seuls les créneaux avec des places libres sont affichés.
jump-to = Aller à
places-left = { $left ->
    [one] { $left } place libre sur { $capacity }
   *[other] { $left } places libres sur { $capacity }
}
places-taken = { $taken ->
    [one] { $taken } place prise sur { $capacity }
   *[other] { $taken } places prises sur { $capacity }
}
places-filled = Places prises
number-filled = { $filled } sur { $capacity }
shift-full = Complet
shift-over = Terminé
shift-cancelled = Annulé
shift-without-sign-up = Créneau non ouvert aux inscriptions

summary = { $date }. { $text }
summary-cancelled = Annulé. { $date }. { $text }
summary-looking-for-volunteers = { $organization } recherche des bénévoles.

event-over = Cet événement est terminé
event-over-text = Merci à toutes les personnes qui ont aidé.
signups-ahead = Les inscriptions ouvrent le { $opening }
signups-ahead-text = Revenez à ce moment-là pour vous inscrire.
signups-closed = Les inscriptions sont fermées
signups-closed-text = Il n’est pas possible de s’inscrire à cet événement pour le moment.
no-shifts = Aucun créneau pour le moment
no-shifts-text = Il n’est pas encore possible de s’inscrire. Revenez plus tard.
shifts-over = Les inscriptions sont terminées
shifts-over-text = Tous les créneaux sont terminés.
no-sign-up = Inscription impossible pour le moment
no-sign-up-text = Vous ne pouvez pas vous inscrire à ces créneaux pour le moment.
no-places = Complet
no-places-text = Si quelqu’un annule sa place, elle s’affichera ici.
no-places-but-list-text = Vous pouvez vous inscrire sur la liste d’attente d’un créneau.

## Why a form was refused, on the page of the event

choose-a-shift = Choisissez un créneau
choose-a-shift-text = Cochez chaque créneau qui vous intéresse, puis sélectionnez « { sign-up-for-chosen } ».
choose-fewer = Choisissez au maximum { $max } créneaux à la fois
choose-fewer-text = Vous pourrez vous inscrire à d’autres créneaux ensuite.
cannot-sign-up = Vous ne pouvez malheureusement pas vous inscrire
cancelled-meanwhile = L’organisateur a annulé l’événement pendant que vous remplissiez le formulaire.
cannot-sign-up-for-these = Vous ne pouvez pas vous inscrire à ces créneaux pour le moment
shift-removed-text = L’organisateur a peut-être supprimé ce créneau.
choose-another = Choisissez un autre créneau.
some-places-saved = Nous n’avons pu enregistrer qu’une partie de vos places
some-sign-ups-saved = Une partie de vos inscriptions est enregistrée
no-places-saved = Nous n’avons malheureusement pu enregistrer aucune place
saved-for-html = Places enregistrées pour { $people } :
not-saved = Places non enregistrées :
shift-and-times-html = { $shift }, { $times }
refused-shift-html = { $shift }, { $times } : { $reason }
mail-about-saved = Nous vous envoyons un e-mail au sujet des places enregistrées.
keep-your-place = Si vous avez déjà une place, vous la gardez.
keep-your-place-and-mail = Si vous avez déjà une place, vous la gardez, et nous vous envoyons par e-mail un lien pour la retrouver (au maximum une fois par heure).

sorry-too-few-places = Ce créneau n’a malheureusement pas { $people } places libres
sorry-full = Ce créneau est malheureusement complet
sorry-over = Ce créneau est malheureusement terminé
sorry-closed = Les inscriptions sont malheureusement fermées
sorry-unavailable = Ce créneau n’est malheureusement plus disponible

reason-too-few-places = il n’a pas { $people } places libres
reason-full = il est complet
reason-over = il est terminé
reason-closed = les inscriptions sont fermées
reason-removed = l’organisateur l’a supprimé

## The form

sign-up-heading = Inscription
sign-up-title = Inscription : { $event }
join-waiting-list-title = Liste d’attente : { $event }
sign-up = S’inscrire
there-is-a-problem = Il y a un problème
problem = Erreur :
your-shifts = { $count ->
    [one] Votre créneau
   *[other] Vos { $count } créneaux
}
cannot-sign-up-for-this = Vous ne pouvez pas vous inscrire à ce créneau.
shifts-gone = { $count ->
    [one] Un des créneaux choisis n’est plus disponible.
   *[other] { $count } des créneaux choisis ne sont plus disponibles.
}
choose-other-shifts = Choisir d’autres créneaux
how-waiting-works = S’il reste une place au moment de votre inscription, elle est à vous. Sinon, vous êtes sur la liste d’attente : dès qu’une place se libère et que c’est votre tour, elle est à vous.
these-overlap = { $pairs ->
    [one] Ces deux créneaux se chevauchent :
   *[other] Ces créneaux se chevauchent :
}
sign-up-anyway = { $pairs ->
    [one] S’inscrire quand même aux deux
   *[other] S’inscrire quand même à tous
}
overlap-problem = Certains créneaux se chevauchent. Cochez la case pour vous inscrire quand même
too-many-places = { $people } personnes et { $shifts } créneaux, c’est trop pour un seul formulaire, limité à { $max } places. Choisissez moins de créneaux, ou inscrivez certaines personnes plus tard
your-name = Votre nom
name = Nom
email-address = Adresse e-mail
optional = (facultatif)
choose-an-option = Choisissez une option
person-number = Personne { $number }
person-hint = Ne remplissez pas cette partie si personne d’autre ne s’inscrit.
add-person = Ajouter une personne
add-person-hint = Pour les proches qui vous accompagnent. Chaque personne a sa propre place.
mail-with-details = Nous vous enverrons par e-mail tous les détails et un lien pour annuler.
no-mail = Vous ne recevrez pas d’e-mail : notez le jour et l’heure.
use-of-details-html = { $organization } utilise vos informations pour organiser l’événement et vous contacter à ce sujet.
privacy-notice-html = <a href="{ $link }" rel="noopener">Lire sa politique de confidentialité</a>.

field-name = Votre nom
field-name-of-person = Le nom de la personne { $number }
field-email = Votre adresse e-mail
field-answer = « { $label } »
field-answer-of-person = « { $label } » (personne { $number })
too-long = { $field } ne doit pas dépasser { $max } caractères
has-line-break = { $field } doit tenir sur une seule ligne
has-tab = { $field } contient une tabulation. Utilisez plutôt des espaces
has-unusable-characters = { $field } contient des caractères que nous ne pouvons pas utiliser. Recommencez la saisie
is-invisible = { $field } ne contient aucun caractère visible. Recommencez la saisie
is-invisible-but-optional = { $field } ne contient aucun caractère visible. Recommencez la saisie, ou laissez le champ vide
person-repeated = La personne { $number } figure déjà dans le formulaire. Indiquez chaque personne une seule fois
enter-name = Saisissez votre nom
enter-name-of-person = Saisissez le nom de la personne { $number }
enter-email = Saisissez votre adresse e-mail
malformed-email = Saisissez une adresse e-mail au format nom@example.com
unusable-email = Saisissez une adresse e-mail dont la partie avant le @ ne contient que des lettres de a à z, des chiffres et des signes comme . + - _
enter-answer = Répondez à { $field }
choose-answer = Choisissez une option pour { $field }
tick-answer = Cochez { $field } pour vous inscrire

## The page after the form

place-saved = Votre place est enregistrée
places-saved = Vos places sont enregistrées
check-your-email = Consultez vos e-mails
thank-you = Merci
place-saved-html = { $people }, votre place sur le créneau { $shift } est enregistrée.
places-saved-html = { $people }, vos places sur le créneau { $shift } sont enregistrées.
places-on-shifts-saved-html = { $people }, vos places sur { $count } créneaux sont enregistrées.
sign-up-saved = Votre inscription est enregistrée
sign-up-saved-html = { $people }, votre inscription pour le créneau { $shift } est enregistrée.
sign-ups-saved-html = { $people }, vos inscriptions pour { $count } créneaux sont enregistrées.
place-or-list = Si un créneau était complet, vous êtes sur sa liste d’attente. L’e-mail vous indique si vous avez une place.
place-or-list-without-mail = Si un créneau était complet, vous êtes sur sa liste d’attente. Demandez à l’organisateur si vous avez une place.
other-people = { $count ->
    [one] 1 autre personne
   *[other] { $count } autres personnes
}
number-of-people = { $count ->
    [one] 1 personne
   *[other] { $count } personnes
}
mail-on-its-way = Un e-mail avec tous les détails et un lien pour annuler vous est envoyé. Si vous ne l’avez pas reçu d’ici quelques minutes, regardez dans vos courriers indésirables et cherchez un e-mail plus ancien de notre part.
mail-on-its-way-html = Un e-mail avec tous les détails et un lien pour annuler est envoyé à <strong dir="auto">{ $email }</strong>. Si vous ne l’avez pas reçu d’ici quelques minutes, regardez dans vos courriers indésirables et cherchez un e-mail plus ancien de notre part.
wrong-address = Adresse incorrecte ? Demandez à l’organisateur de la corriger.
wrong-address-and-contact-html = Adresse incorrecte ? Demandez à l’organisateur de la corriger : { $contact }.
cannot-come = Si vous ne pouvez pas venir, prévenez l’organisateur.
cannot-come-and-contact-html = Si vous ne pouvez pas venir, prévenez l’organisateur : { $contact }.
given-address-html = Vous avez indiqué l’adresse e-mail <span dir="auto">{ $email }</span>. Adresse incorrecte ? Demandez à l’organisateur de la corriger.
label-event = Événement
label-day = Jour
label-time = Horaire
add-to-calendar = Ajouter au calendrier
sign-somebody-else-up = Inscrire quelqu’un d’autre
choose-another-shift = Choisir un autre créneau

## Pages without a form: what went wrong

page-not-found = Page introuvable
page-not-found-text = Si vous avez saisi l’adresse, vérifiez qu’elle est correcte. Si vous avez suivi un lien, la page n’est peut-être plus disponible. Contactez la personne qui vous a envoyé le lien.
to-start-page = Aller à la page d’accueil
service-problem = Le service rencontre un problème
service-problem-text = Réessayez dans un instant. Si vous étiez en train de vous inscrire, vous pouvez renvoyer le formulaire sans crainte : vous n’aurez qu’une seule place.
too-many-attempts = Patientez une minute
too-many-attempts-text = Il y a eu trop de tentatives. Réessayez dans une minute.
kept-what-you-typed = Nous avons gardé ce que vous avez saisi.
try-again = Réessayer
form-not-received = Nous n’avons malheureusement pas reçu votre formulaire
form-too-large = Vos réponses sont trop longues. Revenez en arrière et raccourcissez-les.
form-of-another-kind = Utilisez le formulaire de la page de l’événement.
too-many-forms = Le serveur a reçu trop de formulaires volumineux à la fois. Revenez en arrière et réessayez dans un instant.
form-too-slow = L’envoi de votre formulaire a pris trop de temps. Revenez en arrière et réessayez.
form-incomplete = Nous n’avons reçu qu’une partie de votre formulaire. Revenez en arrière et réessayez.
to-event = Aller à l’événement

## The page of all places, and its questions before a place is cancelled

your-places = Vos places
all-that-you-have = Voici toutes vos inscriptions avec l’adresse e-mail { $email }.
coming-up = À venir
no-places-coming-up = Vous n’avez aucune place sur un créneau à venir.
past-and-cancelled = Passées ou annulées
moved-html = <strong>L’organisateur a changé l’horaire ou le lieu.</strong> Avant : <span dir="auto">{ $before }</span>
on-other-shift-html = { $count ->
    [one] <strong>L’organisateur a déplacé cette place vers un autre créneau.</strong> Avant : <span dir="auto">{ $before }</span>
   *[other] <strong>L’organisateur a déplacé ces places vers un autre créneau.</strong> Avant : <span dir="auto">{ $before }</span>
}
cancel-this-place = Annuler cette place
cancel-this-place-html = Annuler cette place<span class="quiet"> : { $name }, { $shift }, { $start }</span>
on-waiting-list = Vous êtes sur la liste d’attente.
place-in-line = Votre rang : { $number }.
leave-waiting-list = Quitter la liste d’attente
leave-waiting-list-html = Quitter la liste d’attente<span class="quiet"> : { $name }, { $shift }, { $start }</span>
checked-in = Votre présence est enregistrée.
your-calendar = Votre calendrier
your-calendar-text = Pour voir vos places dans votre calendrier, abonnez-vous à cette adresse web. Votre calendrier se mettra à jour à chaque changement. Ne partagez pas cette adresse : toute personne qui la connaît peut voir vos places et les annuler.
question-html = Si vous avez une question, écrivez à { $contact }.
label-who = Au nom de
label-what-to-do = À faire
label-good-to-know = Bon à savoir
answer-yes = Oui

place-over = Ce créneau est terminé. Merci pour votre aide.
place-waited-until-over = Ce créneau est terminé. Vous étiez sur la liste d’attente.
place-on-removed-shift = L’organisateur a supprimé ce créneau.
place-cancelled-by-you = { $count ->
    [one] Vous avez annulé cette place.
   *[other] Vous avez annulé ces places.
}
place-left-list = Vous avez quitté la liste d’attente.
place-taken-off-list = L’organisateur a annulé votre inscription sur la liste d’attente.
place-cancelled-with-event = L’organisateur a annulé cet événement.
place-cancelled-with-shift = L’organisateur a annulé ce créneau.
place-cancelled-by-organizer = { $count ->
    [one] L’organisateur a annulé cette place.
   *[other] L’organisateur a annulé ces places.
}

cannot-cancel = Cette place ne peut malheureusement pas être annulée
cannot-cancel-over = Ce créneau est terminé : vous ne pouvez plus annuler votre place.
cannot-cancel-removed = L’organisateur a supprimé ce créneau : il n’y a plus rien à annuler.
cancel-a-place = Annuler une place
ask-to-cancel = Voulez-vous annuler cette place ?
place-becomes-free = Quelqu’un d’autre pourra alors prendre la place.
check-in-is-taken-back = Votre présence ne sera plus enregistrée.
mail-about-cancellation = Nous vous enverrons un e-mail de confirmation.
keep-this-place = Garder cette place
ask-to-leave-waiting-list = Voulez-vous quitter la liste d’attente ?
list-starts-anew = Si vous vous inscrivez de nouveau plus tard, vous serez à la fin de la liste.
stay-on-waiting-list = Rester sur la liste d’attente
which-place = Quelle place voulez-vous annuler ?
choose-the-place = Choisissez la place que vous voulez annuler
place-of-person-html = { $name } : { $shift }, { $times }
keep-all-places = Garder toutes les places

## The page that turns reminders or messages off

stop-reminders-question = Voulez-vous ne plus recevoir de rappels ?
reminders-off = Vous ne recevrez plus de rappels
reminders-on-again = Vous recevrez de nouveau des rappels
reminders-on-text = Nous vous envoyons un e-mail la veille de chaque créneau. Même si vous ne recevez plus ces e-mails, nous vous préviendrons si un créneau change ou est annulé.
reminders-off-text = Nous ne vous enverrons plus d’e-mail la veille d’un créneau. Nous continuerons à vous prévenir si un créneau change ou est annulé.
turn-reminders-on = Recevoir de nouveau des rappels
stop-messages-question = Voulez-vous ne plus recevoir de messages ?
messages-off = Vous ne recevrez plus de messages
messages-on-again = Vous recevrez de nouveau des messages
messages-on-text = L’organisateur peut envoyer des messages à toutes les personnes inscrites. Même si vous ne recevez plus ces e-mails, nous vous préviendrons si un créneau change ou est annulé.
messages-off-text = Vous ne recevrez plus les messages de l’organisateur. Nous continuerons à vous prévenir si un créneau change ou est annulé.
turn-messages-off = Ne plus recevoir de messages
turn-messages-on = Recevoir de nouveau des messages
to-your-places = Voir vos places

## Emails

greeting = Bonjour,
greeting-with-name = Bonjour { $name },
fact = { $label } : { $value }
with-colon = { $text } :
label-shift = Créneau
label-shift-was = Ancien créneau
label-shift-now = Nouveau créneau
label-when-was = Ancien horaire
label-when-now = Nouvel horaire
label-where-was = Ancien lieu
label-where-now = Nouveau lieu
label-overlaps-with = Chevauchement avec
label-place-in-line = Rang sur la liste d’attente
no-place-given = Aucun lieu indiqué.
no-new-place = L’organisateur n’a pas encore indiqué de nouveau lieu.
about-event = À propos de l’événement
about-shift = À propos du créneau
about = À propos du créneau { $shift }
your-answers = Vos réponses
your-answers-for = Vos réponses pour { $shifts }
answers-of = Réponses pour { $people } – { $shifts }
hidden-answer = (voir les détails)
all-your-places = Toutes vos places pour cet événement
no-places-left = Vous n’avez plus de place pour cet événement.
see-your-places = Voir vos places, les ajouter à votre calendrier ou les annuler
see-your-place-in-line = Voir votre rang sur la liste d’attente ou quitter la liste
when-waiting = { $when }, sur la liste d’attente
see-the-details = Voir les détails
see-the-event = Voir l’événement
stop-reminders = Ne plus recevoir de rappels
stop-messages = Ne plus recevoir les messages de l’organisateur
questions-html = Des questions ? Écrivez à <a href="{ $link }">{ $contact }</a>.
questions = Des questions ? Écrivez à { $contact }.
the-organizer = L’organisateur
more-people = { $count ->
    [one] { $count } autre personne
   *[other] { $count } autres personnes
}
number-of-shifts = { $count } créneaux
your-shifts-heading = { $count ->
    [one] Votre créneau
   *[other] Vos créneaux
}
message-heading = { $organization } vous a envoyé un message à propos de l’événement { $event }

subject = { $what } : { $event } – { $shift }, { $day }
subject-from = { $what } : { $event } – { $shift } à partir du { $day }
subject-from-clock = { $what } : { $event } – { $shift } à partir de { $clock }
subject-without-clock = { $what } : { $event } – { $shift }
subject-of-event = { $what } : { $event }, { $day }
subject-of-event-from = { $what } : { $event } à partir du { $day }
subject-changed = Changement
subject-cancelled = Annulation
today = Aujourd’hui
tomorrow = Demain
reminder = Rappel
you-signed-up = Inscription confirmée
people-signed-up = { $count ->
    [one] Inscription confirmée pour { $people }
   *[other] Inscriptions confirmées pour { $people }
}
you-have-place = Vous avez maintenant une place
people-have-places = { $count ->
    [one] { $people } a maintenant une place
   *[other] { $people } ont maintenant des places
}
you-wait = Vous êtes sur la liste d’attente
people-wait = { $count ->
    [one] { $people } est sur la liste d’attente
   *[other] { $people } sont sur la liste d’attente
}
off-list = Retrait de la liste d’attente

you-signed-up-for = Votre inscription est confirmée : { $shift }
people-signed-up-for = { $count ->
    [one] L’inscription est confirmée pour { $people } : { $shift }
   *[other] Les inscriptions sont confirmées pour { $people } : { $shift }
}
you-have-place-on = { $places ->
    [one] Vous avez maintenant une place : { $shift }
   *[other] Vous avez maintenant des places : { $shift }
}
people-have-places-on = { $count ->
    [one] { $people } a maintenant une place : { $shift }
   *[other] { $people } ont maintenant des places : { $shift }
}
you-wait-for = Vous êtes sur la liste d’attente : { $shift }
people-wait-for = { $count ->
    [one] { $people } est sur la liste d’attente : { $shift }
   *[other] { $people } sont sur la liste d’attente : { $shift }
}
organizer-took-you-off-list = L’organisateur a annulé votre inscription sur la liste d’attente
organizer-took-people-off-list = L’organisateur a retiré { $people } de la liste d’attente
you-left-list = Vous avez quitté la liste d’attente
you-took-people-off-list = Vous avez retiré { $people } de la liste d’attente
you-already-have = { $places ->
    [one] Vous avez déjà une place
   *[other] Vous avez déjà des places
}
person-already-has = { $places ->
    [one] { $people } a déjà une place
   *[other] { $people } a déjà des places
}
people-already-have = { $people } ont déjà des places
this-shift-cancelled = Ce créneau est annulé
these-shifts-cancelled = Ces créneaux sont annulés
organizer-cancelled-yours = { $places ->
    [one] L’organisateur a annulé votre place
   *[other] L’organisateur a annulé vos places
}
organizer-cancelled = { $places ->
    [one] L’organisateur a annulé la place réservée pour { $people }
   *[other] L’organisateur a annulé les places réservées pour { $people }
}
you-cancelled-yours = { $places ->
    [one] Vous avez annulé votre place
   *[other] Vous avez annulé vos places
}
you-cancelled = { $places ->
    [one] Vous avez annulé la place réservée pour { $people }
   *[other] Vous avez annulé les places réservées pour { $people }
}
you-were-moved-to = { $count ->
    [one] L’organisateur a déplacé votre inscription vers le créneau { $shift }
   *[other] L’organisateur a déplacé vos inscriptions vers { $shift }
}
people-were-moved-to = { $count ->
    [one] L’organisateur a déplacé l’inscription pour { $people } vers le créneau { $shift }
   *[other] L’organisateur a déplacé les inscriptions pour { $people } vers { $shift }
}
shift-moved-to = Votre créneau est déplacé au { $day }
shift-changed = Votre créneau a changé
shifts-changed = Vos créneaux ont changé
shifts-today = { $shifts ->
    [one] Votre créneau a lieu aujourd’hui
   *[other] Vos créneaux ont lieu aujourd’hui
}
shifts-tomorrow = { $shifts ->
    [one] Votre créneau a lieu demain
   *[other] Vos créneaux ont lieu demain
}
shifts-soon = { $shifts ->
    [one] Votre créneau est prévu le { $day }
   *[other] Vos créneaux commencent le { $day }
}

event-cancelled-intro = L’organisateur a annulé cet événement : il n’aura pas lieu. Merci d’avoir proposé votre aide.
shift-cancelled-intro = L’organisateur a annulé ce créneau : il n’aura pas lieu. Merci d’avoir proposé votre aide.
shifts-cancelled-intro = L’organisateur a annulé ces créneaux : ils n’auront pas lieu. Merci d’avoir proposé votre aide.
organizer-cancelled-intro = Merci d’avoir proposé votre aide.
you-cancelled-intro = Merci de nous avoir prévenus.
signed-up-intro = Merci beaucoup, et à bientôt.
promoted-intro = { $places ->
    [one] Une place s’est libérée, et elle est à vous. En cas d’empêchement, annulez-la : elle ira à la personne suivante sur la liste d’attente.
   *[other] Des places se sont libérées, et elles sont à vous. En cas d’empêchement, annulez-les : elles iront aux personnes suivantes sur la liste d’attente.
}
waiting-intro = Cette inscription ne garantit pas encore une place, car le créneau est complet. Si une place se libère et que votre tour est venu, elle est à vous : nous vous préviendrons par e-mail.
waiting-asked-again = Une nouvelle inscription a été faite avec cette adresse e-mail : voici donc où vous en êtes. Si vous n’en êtes pas à l’origine, vous pouvez ignorer cet e-mail. Vous n’avez pas encore de place : nous vous enverrons un e-mail quand votre tour sera venu.
reminder-intro = { $shifts ->
    [one] Merci pour votre aide. En cas d’empêchement, annulez votre place pour que quelqu’un d’autre puisse la prendre.
   *[other] Merci pour votre aide. En cas d’empêchement, annulez vos places pour que d’autres puissent les prendre.
}
on-other-shift-intro = Si cela vous convient, vous n’avez rien à faire. En cas d’empêchement, merci d’annuler afin que quelqu’un d’autre puisse aider.
time-and-place-changed = L’horaire et le lieu ont changé.
time-changed = L’horaire a changé.
place-changed = Le lieu a changé.
still-signed-up = Votre inscription reste valable.
still-waiting = Vous restez sur la liste d’attente.
asked-again = Une nouvelle inscription a été faite avec cette adresse e-mail : voici donc vos places. Si vous n’en êtes pas à l’origine, vous pouvez ignorer cet e-mail. Vous pouvez inscrire d’autres personnes avec la même adresse e-mail : chaque personne a sa propre place.
corrected = Un e-mail précédent indiquait peut-être un autre horaire ou un autre lieu. Voici ce qui est prévu maintenant.
