# Los textos que leen las personas voluntarias. Qué significa cada texto y dónde aparece: véase en.ftl.
#
# Términos: event = evento; shift = turno; place = plaza; organizer = organizador, la organización; organization = organización;
# volunteer = voluntario, voluntaria; sign up = inscribirse, inscripción; cancel = cancelar; email = correo.
# Tratamiento: usted, o una forma neutra. Frases cortas y sencillas.

## Pages

skip-to-main = Ir al contenido principal
locale = es_ES
title-with-problem = Error: { $title }
title-cancelled = Cancelado: { $title }
and = { $before } y { $last }
and-before-i = { $before } e { $last }

## Dates and times

weekday = { $number ->
    [1] lunes
    [2] martes
    [3] miércoles
    [4] jueves
    [5] viernes
    [6] sábado
   *[7] domingo
}
month = { $number ->
    [1] enero
    [2] febrero
    [3] marzo
    [4] abril
    [5] mayo
    [6] junio
    [7] julio
    [8] agosto
    [9] septiembre
    [10] octubre
    [11] noviembre
   *[12] diciembre
}
day-of-month = { $number }
date = { $weekday } { $day } de { $month } de { $year }
date-without-year = { $weekday } { $day } de { $month }
date-without-month = { $weekday } { $day }
plain-date = { $day } de { $month } de { $year }
plain-date-without-year = { $day } de { $month }
date-range = del { $first } al { $last }
moment = { $date }, { $clock } { $offset }
opening = { $date } a las { $clock }
all-day = todo el día
part-night = Madrugada
part-morning = Mañana
part-afternoon = Tarde
part-evening = Noche
end-of-day = 24:00
zone-of-place = hora de { $place }
times-all-day = { $date }, todo el día
times-of-day = { $date }, { $start }–{ $end }
times-overnight = { $dates }, de { $first-day } { $start } a { $last-day } { $end }
date-and-start = { $date }, { $start }

## The page of an event

looking-for-volunteers-html = { $organization } busca personas voluntarias
label-when = Fecha
label-where = Lugar
label-contact = Contacto
online = En línea
online-note = (en línea)
event-cancelled = Este evento se ha cancelado
event-cancelled-text = Ya no es posible inscribirse. Gracias a todas las personas que ofrecieron su ayuda.
organizers-reason = Motivo de la cancelación
shifts = Turnos
shifts-on = Turnos del { $day }
zone-note = Todas las horas se indican en { $zone }.
choose-shift = Elegir { $shift },
sign-up-for-html = Inscribirse<span class="quiet"> en { $shift }, { $start }</span>
join-waiting-list = Apuntarse a la lista de espera
join-waiting-list-for-html = Apuntarse a la lista de espera<span class="quiet"> de { $shift }, { $start }</span>
sign-up-for-chosen = Inscribirse en los turnos elegidos
show-only-open-shifts = Ver solo los turnos con plazas
show-all-shifts = Ver todos los turnos
only-open-shifts-are-shown = Solo se muestran los turnos con plazas libres.
jump-to = Ir a
places-left = { $left ->
    [one] Queda { $left } plaza de { $capacity }
   *[other] Quedan { $left } plazas de { $capacity }
}
places-taken = { $capacity ->
    [one] { $taken } de { $capacity } plaza ocupada
   *[other] { $taken } de { $capacity } plazas ocupadas
}
places-filled = Plazas ocupadas
number-filled = { $filled } de { $capacity }
shift-full = Completo
shift-over = Terminado
shift-cancelled = Cancelado
shift-without-sign-up = No es posible inscribirse en este turno

summary = { $date }. { $text }
summary-cancelled = Cancelado. { $date }. { $text }
summary-looking-for-volunteers = { $organization } busca personas voluntarias.

event-over = Este evento ha terminado
event-over-text = Gracias a todas las personas que ayudaron.
signups-ahead = La inscripción se abre el { $opening }
signups-ahead-text = Vuelva entonces a esta página.
signups-closed = La inscripción está cerrada
signups-closed-text = En este momento nadie puede inscribirse en este evento.
no-shifts = Todavía no hay turnos
no-shifts-text = Todavía no es posible inscribirse. Vuelva a consultar esta página más adelante.
shifts-over = La inscripción ha terminado
shifts-over-text = Todos los turnos han terminado.
no-sign-up = Inscripción no disponible por ahora
no-sign-up-text = Por ahora no es posible inscribirse en estos turnos.
no-places = No quedan plazas
no-places-text = Si alguien cancela, su plaza aparecerá aquí.
no-places-but-list-text = Puede apuntarse a la lista de espera de un turno.

## Why a form was refused, on the page of the event

choose-a-shift = Elija un turno
choose-a-shift-text = Marque cada turno que le interese y seleccione después «{ sign-up-for-chosen }».
choose-fewer = Elija como máximo { $max } turnos a la vez
choose-fewer-text = Después podrá inscribirse en otros turnos.
cannot-sign-up = Lo sentimos, no es posible inscribirse
cancelled-meanwhile = La organización canceló el evento mientras usted rellenaba el formulario.
cannot-sign-up-for-these = Por ahora no es posible inscribirse en estos turnos
shift-removed-text = Es posible que la organización haya eliminado este turno.
choose-another = Elija otro turno.
some-places-saved = Solo hemos podido reservar una parte de sus plazas
some-sign-ups-saved = Algunas de sus inscripciones están registradas
no-places-saved = Lo sentimos, no hemos podido reservar ninguna plaza
saved-for-html = Registrado para { $people }:
not-saved = Sin registrar:
shift-and-times-html = { $shift }, { $times }
refused-shift-html = { $shift }, { $times }: { $reason }
mail-about-saved = Le hemos enviado un correo con todos los detalles.
keep-your-place = Si ya tiene una plaza, la conserva.
keep-your-place-and-mail = Si ya tiene una plaza, la conserva, y le enviaremos un enlace por correo (como máximo una vez por hora).

sorry-too-few-places = Lo sentimos, en este turno ya no quedan { $people } plazas libres
sorry-full = Lo sentimos, este turno está completo
sorry-over = Lo sentimos, este turno ya ha terminado
sorry-closed = Lo sentimos, en este momento no es posible inscribirse
sorry-unavailable = Lo sentimos, este turno ya no está disponible

reason-too-few-places = ya no quedan { $people } plazas libres
reason-full = está completo
reason-over = ya ha terminado
reason-closed = la inscripción está cerrada
reason-removed = la organización lo ha eliminado

## The form

sign-up-heading = Inscripción
sign-up-title = Inscripción: { $event }
join-waiting-list-title = Lista de espera: { $event }
sign-up = Inscribirse
there-is-a-problem = Hay un problema
problem = Error:
your-shifts = { $count ->
    [one] Su turno
   *[other] Sus { $count } turnos
}
cannot-sign-up-for-this = No es posible inscribirse en este turno.
shifts-gone = { $count ->
    [one] Uno de los turnos elegidos ya no está disponible.
   *[other] { $count } de los turnos elegidos ya no están disponibles.
}
choose-other-shifts = Elegir otros turnos
how-waiting-works = Si queda una plaza cuando se inscriba, será suya. Si no, estará en la lista de espera: cuando quede una libre y le toque, será suya.
these-overlap = { $pairs ->
    [one] Estos dos turnos se solapan:
   *[other] Estos turnos se solapan:
}
sign-up-anyway = { $pairs ->
    [one] Inscribirse igualmente en ambos
   *[other] Inscribirse igualmente en todos
}
overlap-problem = Algunos turnos se solapan. Marque la casilla para inscribirse igualmente
too-many-places = { $people } personas y { $shifts } turnos son demasiados para un solo formulario, que admite como máximo { $max } plazas. Elija menos turnos o inscriba a algunas personas más tarde
your-name = Su nombre
name = Nombre
email-address = Correo electrónico
optional = (opcional)
choose-an-option = Elija una opción
person-number = Persona { $number }
person-hint = Déjelo en blanco si no se inscribe nadie más.
add-person = Añadir otra persona
add-person-hint = Para familiares o amigos que vengan con usted. Cada persona tendrá su propia plaza.
mail-with-details = Le enviaremos un correo con todos los detalles y un enlace para cancelar.
no-mail = No recibirá ningún correo, así que anote el día y la hora.
use-of-details-html = { $organization } utiliza sus datos para planificar el evento y ponerse en contacto con usted al respecto.
privacy-notice-html = <a href="{ $link }" rel="noopener">Leer la política de privacidad</a>.

field-name = Su nombre
field-name-of-person = El nombre de la persona { $number }
field-email = Su correo electrónico
field-answer = «{ $label }»
field-answer-of-person = «{ $label }» (persona { $number })
too-long = { $field } no puede tener más de { $max } caracteres
has-line-break = { $field } tiene que ocupar una sola línea
has-tab = { $field } contiene un tabulador. Use espacios en su lugar
has-unusable-characters = { $field } contiene caracteres que no podemos usar. Escríbalo de nuevo
is-invisible = { $field } no contiene caracteres visibles. Escríbalo de nuevo
is-invisible-but-optional = { $field } no contiene caracteres visibles. Escríbalo de nuevo o deje el campo vacío
person-repeated = La persona { $number } ya está en el formulario. Indique cada persona una sola vez
enter-name = Escriba su nombre
enter-name-of-person = Escriba el nombre de la persona { $number }
enter-email = Escriba su correo electrónico
malformed-email = Escriba una dirección de correo electrónico válida, como nombre@example.com
unusable-email = Escriba una dirección de correo electrónico que antes de la @ solo tenga letras de la «a» a la «z», números y signos como . + - _
enter-answer = Escriba una respuesta en { $field }
choose-answer = Elija una opción en { $field }
tick-answer = Marque { $field } para inscribirse

## The page after the form

place-saved = Su plaza está reservada
places-saved = Sus plazas están reservadas
check-your-email = Revise su correo
thank-you = Gracias
place-saved-html = Hemos reservado una plaza en { $shift } para { $people }.
places-saved-html = Hemos reservado plazas en { $shift } para { $people }.
places-on-shifts-saved-html = Hemos reservado plazas en { $count } turnos para { $people }.
sign-up-saved = Su inscripción está registrada
sign-up-saved-html = Hemos registrado la inscripción de { $people } en { $shift }.
sign-ups-saved-html = Hemos registrado las inscripciones de { $people } en { $count } turnos.
place-or-list = Si un turno estaba completo, usted está en la lista de espera de ese turno. En el correo verá si tiene plaza.
place-or-list-without-mail = Si un turno estaba completo, usted está en la lista de espera de ese turno. Pregunte a la organización si tiene plaza.
other-people = { $count ->
    [one] 1 persona más
   *[other] { $count } personas más
}
number-of-people = { $count ->
    [one] 1 persona
   *[other] { $count } personas
}
mail-on-its-way = Le hemos enviado un correo con todos los detalles y un enlace para cancelar. Si no llega en unos minutos, mire en la carpeta de correo no deseado y busque un correo nuestro anterior.
mail-on-its-way-html = Hemos enviado un correo a <strong dir="auto">{ $email }</strong> con todos los detalles y un enlace para cancelar. Si no llega en unos minutos, mire en la carpeta de correo no deseado y busque un correo nuestro anterior.
wrong-address = ¿Dirección equivocada? Pida a la organización que la corrija.
wrong-address-and-contact-html = ¿Dirección equivocada? Pida a la organización que la corrija: { $contact }.
cannot-come = Si no puede venir, avise a la organización.
cannot-come-and-contact-html = Si no puede venir, avise a la organización: { $contact }.
given-address-html = Ha indicado el correo <span dir="auto">{ $email }</span>. ¿Dirección equivocada? Pida a la organización que la corrija.
label-event = Evento
label-day = Día
label-time = Horario
add-to-calendar = Añadir al calendario
sign-somebody-else-up = Inscribir a otra persona
choose-another-shift = Elegir otro turno

## Pages without a form: what went wrong

page-not-found = Página no encontrada
page-not-found-text = Si ha escrito la dirección, compruebe que sea correcta. Si ha seguido un enlace, es posible que la página ya no esté disponible. Pregunte a la persona que le envió el enlace.
to-start-page = Ir a la página de inicio
service-problem = Lo sentimos, hay un problema con el servicio
service-problem-text = Inténtelo de nuevo en un momento. Si se estaba inscribiendo, puede volver a enviar el formulario sin problema: solo tendrá una plaza.
too-many-attempts = Espere un minuto
too-many-attempts-text = Ha habido demasiados intentos. Inténtelo de nuevo en un minuto.
kept-what-you-typed = Hemos conservado lo que escribió.
try-again = Intentar de nuevo
form-not-received = Lo sentimos, no hemos recibido su formulario
form-too-large = Sus respuestas son demasiado largas. Vuelva atrás y acórtelas.
form-of-another-kind = Utilice el formulario de la página del evento.
too-many-forms = El servidor ha recibido demasiados formularios grandes a la vez. Vuelva atrás e inténtelo de nuevo en un momento.
form-too-slow = Su formulario ha tardado demasiado en llegar. Vuelva atrás e inténtelo de nuevo.
form-incomplete = Solo ha llegado una parte de su formulario. Vuelva atrás e inténtelo de nuevo.
to-event = Ir al evento

## The page of all places, and its questions before a place is cancelled

your-places = Sus plazas
all-that-you-have = Estas son todas sus inscripciones con el correo { $email }.
coming-up = Próximamente
no-places-coming-up = No tiene turnos próximos.
past-and-cancelled = Pasadas y canceladas
moved-html = <strong>La organización ha cambiado el horario o el lugar.</strong> Antes: <span dir="auto">{ $before }</span>
on-other-shift-html = { $count ->
    [one] <strong>La organización ha pasado esta plaza a otro turno.</strong> Antes: <span dir="auto">{ $before }</span>
   *[other] <strong>La organización ha pasado estas plazas a otro turno.</strong> Antes: <span dir="auto">{ $before }</span>
}
cancel-this-place = Cancelar esta plaza
cancel-this-place-html = Cancelar esta plaza<span class="quiet">: { $name }, { $shift }, { $start }</span>
on-waiting-list = Está en la lista de espera.
place-in-line = Su puesto en la lista: { $number }.
leave-waiting-list = Salir de la lista de espera
leave-waiting-list-html = Salir de la lista de espera<span class="quiet">: { $name }, { $shift }, { $start }</span>
checked-in = Su asistencia está registrada.
your-calendar = Su calendario
your-calendar-text = Para ver sus plazas en su calendario, suscríbase a esta dirección web. Así su calendario recogerá todos los cambios. No comparta la dirección: cualquiera que la tenga puede ver sus plazas y cancelarlas.
question-html = Si tiene alguna pregunta, escriba a { $contact }.
label-who = Quién
label-what-to-do = Tareas
label-good-to-know = Información útil
answer-yes = Sí

place-over = Este turno ha terminado. Gracias por su ayuda.
place-waited-until-over = Este turno ha terminado. Usted estaba en la lista de espera.
place-on-removed-shift = La organización ha eliminado este turno.
place-cancelled-by-you = { $count ->
    [one] Usted canceló esta plaza.
   *[other] Usted canceló estas plazas.
}
place-left-list = Usted salió de la lista de espera.
place-taken-off-list = La organización ha retirado su nombre de la lista de espera.
place-cancelled-with-event = La organización ha cancelado este evento.
place-cancelled-with-shift = La organización ha cancelado este turno.
place-cancelled-by-organizer = { $count ->
    [one] La organización ha cancelado esta plaza.
   *[other] La organización ha cancelado estas plazas.
}

cannot-cancel = Lo sentimos, no es posible cancelar esa plaza
cannot-cancel-over = Este turno ha terminado, así que ya no puede cancelar su plaza.
cannot-cancel-removed = La organización ha eliminado este turno, así que ya no hay nada que cancelar.
cancel-a-place = Cancelar una plaza
ask-to-cancel = ¿Quiere cancelar esta plaza?
place-becomes-free = Así otra persona podrá ocupar la plaza.
check-in-is-taken-back = Su asistencia dejará de estar registrada.
mail-about-cancellation = Recibirá una confirmación por correo.
keep-this-place = Conservar esta plaza
ask-to-leave-waiting-list = ¿Quiere salir de la lista de espera?
list-starts-anew = Si vuelve a apuntarse más tarde, pasará al final de la lista.
stay-on-waiting-list = Seguir en la lista de espera
which-place = ¿Qué plaza quiere cancelar?
choose-the-place = Elija la plaza que quiere cancelar
place-of-person-html = { $name }: { $shift }, { $times }
keep-all-places = Conservar todas las plazas

## The page that turns reminders or messages off

stop-reminders-question = ¿Quiere dejar de recibir recordatorios?
reminders-off = Ya no recibirá recordatorios
reminders-on-again = Volverá a recibir recordatorios
reminders-on-text = Le enviamos un correo el día antes de cada turno. Si deja de recibir estos correos, le seguiremos avisando cuando un turno cambie o se cancele.
reminders-off-text = No le enviaremos ningún correo el día antes de un turno. Le seguiremos avisando cuando un turno cambie o se cancele.
turn-reminders-on = Volver a recibir recordatorios
stop-messages-question = ¿Quiere dejar de recibir mensajes?
messages-off = Ya no recibirá mensajes
messages-on-again = Volverá a recibir mensajes
messages-on-text = La organización puede enviar mensajes a todas las personas inscritas. Si deja de recibir estos correos, le seguiremos avisando cuando un turno cambie o se cancele.
messages-off-text = Los mensajes de la organización ya no le llegarán. Le seguiremos avisando cuando un turno cambie o se cancele.
turn-messages-off = Dejar de recibir mensajes
turn-messages-on = Volver a recibir mensajes
to-your-places = Ver sus plazas

## Emails

greeting = Hola:
greeting-with-name = Hola, { $name }:
fact = { $label }: { $value }
with-colon = { $text }:
label-shift = Turno
label-shift-was = Turno anterior
label-shift-now = Turno nuevo
label-when-was = Horario anterior
label-when-now = Horario nuevo
label-where-was = Lugar anterior
label-where-now = Lugar nuevo
label-overlaps-with = Se solapa con
label-place-in-line = Puesto en la lista de espera
no-place-given = No indicado.
no-new-place = La organización aún no ha indicado un nuevo lugar.
about-event = Sobre el evento
about-shift = Sobre el turno
about = Sobre { $shift }
your-answers = Sus respuestas
your-answers-for = Sus respuestas para { $shifts }
answers-of = Respuestas de { $people } para { $shifts }
hidden-answer = (ver los detalles)
all-your-places = Todas sus plazas en este evento
no-places-left = Ya no tiene plazas en este evento.
see-your-places = Ver sus plazas, añadirlas a su calendario o cancelarlas
see-your-place-in-line = Ver su puesto en la lista de espera o salir de ella
when-waiting = { $when }, en lista de espera
see-the-details = Ver los detalles
see-the-event = Ver el evento
stop-reminders = Dejar de recibir recordatorios
stop-messages = Dejar de recibir mensajes de la organización
questions-html = ¿Tiene alguna pregunta? Escriba a <a href="{ $link }">{ $contact }</a>.
questions = ¿Tiene alguna pregunta? Escriba a { $contact }.
the-organizer = La organización
more-people = { $count ->
    [one] { $count } persona más
   *[other] { $count } personas más
}
number-of-shifts = { $count } turnos
your-shifts-heading = { $count ->
    [one] Su turno
   *[other] Sus turnos
}
message-heading = { $organization } le ha enviado un mensaje sobre { $event }

subject = { $what }: { $event } – { $shift }, { $day }
subject-from = { $what }: { $event } – { $shift } desde el { $day }
subject-from-clock = { $what }: { $event } – { $shift } desde las { $clock }
subject-without-clock = { $what }: { $event } – { $shift }
subject-of-event = { $what }: { $event }, { $day }
subject-of-event-from = { $what }: { $event } desde el { $day }
subject-changed = Cambio
subject-cancelled = Cancelación
today = Hoy
tomorrow = Mañana
reminder = Recordatorio
you-signed-up = Inscripción confirmada
people-signed-up = { $count ->
    [one] Inscripción confirmada de { $people }
   *[other] Inscripciones confirmadas de { $people }
}
you-have-place = Ha conseguido plaza
people-have-places = { $count ->
    [one] { $people } ha conseguido plaza
   *[other] { $people } han conseguido plaza
}
you-wait = Está en la lista de espera
people-wait = { $count ->
    [one] { $people } está en la lista de espera
   *[other] { $people } están en la lista de espera
}
off-list = Fuera de la lista de espera

you-signed-up-for = Su inscripción en { $shift } está confirmada
people-signed-up-for = { $count ->
    [one] La inscripción de { $people } en { $shift } está confirmada
   *[other] Las inscripciones de { $people } en { $shift } están confirmadas
}
you-have-place-on = { $places ->
    [one] Ha conseguido plaza en { $shift }
   *[other] Ha conseguido plaza en { $shift }
}
people-have-places-on = { $count ->
    [one] { $people } ha conseguido plaza en { $shift }
   *[other] { $people } han conseguido plaza en { $shift }
}
you-wait-for = Está en la lista de espera de { $shift }
people-wait-for = { $count ->
    [one] { $people } está en la lista de espera de { $shift }
   *[other] { $people } están en la lista de espera de { $shift }
}
organizer-took-you-off-list = La organización ha retirado su nombre de la lista de espera
organizer-took-people-off-list = La organización ha retirado a { $people } de la lista de espera
you-left-list = Ha salido de la lista de espera
you-took-people-off-list = Ha retirado a { $people } de la lista de espera
you-already-have = { $places ->
    [one] Ya tiene plaza
   *[other] Ya tiene plaza
}
person-already-has = { $places ->
    [one] { $people } ya tiene plaza
   *[other] { $people } ya tiene plaza
}
people-already-have = { $people } ya tienen plaza
this-shift-cancelled = Este turno se ha cancelado
these-shifts-cancelled = Estos turnos se han cancelado
organizer-cancelled-yours = { $places ->
    [one] La organización ha cancelado su plaza
   *[other] La organización ha cancelado sus plazas
}
organizer-cancelled = { $places ->
    [one] La organización ha cancelado la plaza de { $people }
   *[other] La organización ha cancelado las plazas de { $people }
}
you-cancelled-yours = { $places ->
    [one] Ha cancelado su plaza
   *[other] Ha cancelado sus plazas
}
you-cancelled = { $places ->
    [one] Ha cancelado la plaza de { $people }
   *[other] Ha cancelado las plazas de { $people }
}
you-were-moved-to = { $count ->
    [one] La organización le ha pasado al turno { $shift }
   *[other] La organización le ha pasado a { $shift }
}
people-were-moved-to = { $count ->
    [one] La organización ha pasado a { $people } al turno { $shift }
   *[other] La organización ha pasado a { $people } a { $shift }
}
shift-moved-to = Su turno pasa al { $day }
shift-changed = Su turno ha cambiado
shifts-changed = Sus turnos han cambiado
shifts-today = { $shifts ->
    [one] Su turno es hoy
   *[other] Sus turnos son hoy
}
shifts-tomorrow = { $shifts ->
    [one] Su turno es mañana
   *[other] Sus turnos son mañana
}
shifts-soon = { $shifts ->
    [one] Su turno es el { $day }
   *[other] Sus turnos empiezan el { $day }
}

event-cancelled-intro = La organización ha cancelado este evento, así que no se celebrará. Gracias por ofrecer su ayuda.
shift-cancelled-intro = La organización ha cancelado este turno, así que no hace falta que venga nadie. Gracias por ofrecer su ayuda.
shifts-cancelled-intro = La organización ha cancelado estos turnos, así que no hace falta que venga nadie. Gracias por ofrecer su ayuda.
organizer-cancelled-intro = Gracias por ofrecer su ayuda.
you-cancelled-intro = Gracias por avisarnos.
signed-up-intro = Gracias. Contamos con usted.
promoted-intro = { $places ->
    [one] Ha quedado libre una plaza y ahora es suya. Si al final no puede venir, cancélela para que pase a la siguiente persona de la lista de espera.
   *[other] Han quedado plazas libres y ahora son suyas. Si al final no puede venir, cancélelas para que pasen a las siguientes personas de la lista de espera.
}
waiting-intro = Esto todavía no garantiza una plaza, porque el turno está completo. Si queda libre una plaza y le toca a usted, será suya y le enviaremos un correo.
waiting-asked-again = Se ha inscrito de nuevo con este correo, así que le enviamos un resumen de sus inscripciones. Si no ha sido usted, puede ignorar este mensaje. Todavía no tiene plaza: le enviaremos un correo cuando le toque.
reminder-intro = { $shifts ->
    [one] Gracias por su ayuda. Si no puede venir, cancele su plaza para que otra persona pueda ocuparla.
   *[other] Gracias por su ayuda. Si no puede venir, cancele sus plazas para que otras personas puedan ocuparlas.
}
on-other-shift-intro = Si le viene bien, no tiene que hacer nada. Si no puede venir, cancele para que otra persona pueda ayudar.
time-and-place-changed = El horario y el lugar han cambiado.
time-changed = El horario ha cambiado.
place-changed = El lugar ha cambiado.
still-signed-up = Su inscripción sigue siendo válida.
still-waiting = Sigue en la lista de espera.
asked-again = Se ha inscrito de nuevo con este correo, así que le enviamos un resumen de sus plazas. Si no ha sido usted, puede ignorar este mensaje. Puede inscribir a otras personas con el mismo correo: cada persona tendrá su propia plaza.
corrected = Es posible que un correo anterior indicara otro horario u otro lugar. Los datos correctos son los de este correo.
