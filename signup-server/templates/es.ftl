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
end-of-day = 24:00
zone-of-place = hora de { $place }
times-all-day = { $date }, todo el día
times-of-day = { $date }, { $start }–{ $end }
times-overnight = { $dates }, desde el { $first-day } a las { $start } hasta el { $last-day } a las { $end }
date-and-start = { $date }, { $start }

## The page of an event

looking-for-volunteers-html = { $organization } busca voluntarios
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
sign-up-for-chosen = Inscribirse en los turnos elegidos
places-left = { $left ->
    [one] Queda { $left } plaza de { $capacity }
   *[other] Quedan { $left } plazas de { $capacity }
}
places-filled = Plazas ocupadas
number-filled = { $filled } de { $capacity }
shift-full = Completo
shift-over = Terminado
shift-cancelled = Cancelado
shift-without-sign-up = Sin inscripción para este turno

summary = { $date }. { $text }
summary-cancelled = Cancelado. { $date }. { $text }
summary-looking-for-volunteers = { $organization } busca voluntarios.

event-over = Este evento ha terminado
event-over-text = Gracias a todas las personas que ayudaron.
signups-ahead = La inscripción se abre el { $opening }
signups-ahead-text = Vuelva a esta página en ese momento.
signups-closed = La inscripción está cerrada
signups-closed-text = En este momento nadie puede inscribirse en este evento.
no-shifts = Todavía no hay turnos
no-shifts-text = Por ahora no hay nada en lo que inscribirse. Vuelva a consultar esta página más adelante.
shifts-over = La inscripción ha terminado
shifts-over-text = Todos los turnos han terminado.
no-sign-up = Sin inscripción por ahora
no-sign-up-text = Por ahora no es posible inscribirse en estos turnos.
no-places = No quedan plazas
no-places-text = Si alguien cancela, su plaza aparecerá aquí.

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
some-places-saved = Solo hemos podido guardar una parte de sus plazas
no-places-saved = Lo sentimos, no hemos podido guardar ninguna plaza
saved-for-html = Plazas guardadas para { $people }:
not-saved = No guardadas:
shift-and-times-html = { $shift }, { $times }
refused-shift-html = { $shift }, { $times }: { $reason }
mail-about-saved = Le hemos enviado un correo sobre las plazas guardadas.
keep-your-place = Si ya tiene una plaza, la conserva.
keep-your-place-and-mail = Si ya tiene una plaza, la conserva, y le enviaremos un enlace por correo (como máximo una vez por hora).

sorry-too-few-places = Lo sentimos, en este turno no quedan { $people } plazas
sorry-full = Lo sentimos, este turno está completo
sorry-over = Lo sentimos, este turno ya ha terminado
sorry-closed = Lo sentimos, en este momento no es posible inscribirse
sorry-unavailable = Lo sentimos, este turno ya no está disponible

reason-too-few-places = no quedan { $people } plazas
reason-full = está completo
reason-over = ya ha terminado
reason-closed = la inscripción está cerrada
reason-removed = la organización lo ha eliminado
