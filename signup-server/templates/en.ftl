# The texts that volunteers read: pages, mails, and words of calendar files. The syntax is that of Fluent (projectfluent.org).
#
# Terms: event; shift (a time for which people are needed); place (what a person has on a shift); organizer; sign up, cancel.
# Plain English: short sentences, "you", contractions. A text whose id ends in -html has elements of HTML, others have none.

## Pages

skip-to-main = Skip to main content
# The language and the country, for messengers that show a preview of the page.
locale = en_GB
title-with-problem = Problem: { $title }
title-cancelled = Cancelled: { $title }
# Joins names and titles: "Ada and Ben", "Ada, Ben and Cy".
and = { $before } and { $last }
# The same before a word that begins with the sound of an i. Only Spanish differs.
and-before-i = { $before } and { $last }

## Dates and times

weekday = { $number ->
    [1] Monday
    [2] Tuesday
    [3] Wednesday
    [4] Thursday
    [5] Friday
    [6] Saturday
   *[7] Sunday
}
month = { $number ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}
# The day of a month in every date below.
day-of-month = { $number }
date = { $weekday } { $day } { $month } { $year }
date-without-year = { $weekday } { $day } { $month }
# The first day of a range that ends in the same month.
date-without-month = { $weekday } { $day }
plain-date = { $day } { $month } { $year }
plain-date-without-year = { $day } { $month }
# Each of the two is a date as above, with or without its month and year.
date-range = { $first } to { $last }
moment = { $date }, { $clock } { $offset }
opening = { $date } at { $clock }
all-day = all day
# The headings of the parts of a day, by the start of a shift: from 0, 6, 12 and 18 o’clock.
part-night = Night
part-morning = Morning
part-afternoon = Afternoon
part-evening = Evening
end-of-day = 24:00
zone-of-place = { $place } time
times-all-day = { $date }, all day
times-of-day = { $date }, { $start }–{ $end }
times-overnight = { $dates }, { $first-day } { $start } to { $last-day } { $end }
date-and-start = { $date }, { $start }

## The page of an event

looking-for-volunteers-html = { $organization } is looking for volunteers
label-when = When
label-where = Where
label-contact = Contact
online = Online
# After a place.
online-note = (online)
event-cancelled = This event has been cancelled
event-cancelled-text = You can no longer sign up. Thank you to everyone who offered to help.
organizers-reason = The organizer’s reason
shifts = Shifts
shifts-on = Shifts on { $day }
zone-note = All times are in { $zone }.
# Before the time of a shift with a tick box. Read out only.
choose-shift = Choose { $shift },
sign-up-for-html = Sign up<span class="quiet"> for { $shift }, { $start }</span>
join-waiting-list = Join the waiting list
join-waiting-list-for-html = Join the waiting list<span class="quiet"> for { $shift }, { $start }</span>
sign-up-for-chosen = Sign up for the chosen shifts
show-only-open-shifts = Show only shifts with places
show-all-shifts = Show all shifts
only-open-shifts-are-shown = Only shifts with places are shown.
# Read out before the links to the days and their parts.
jump-to = Jump to
places-left = { $capacity ->
    [one] { $left } of { $capacity } place left
   *[other] { $left } of { $capacity } places left
}
# While sign-ups are closed.
places-taken = { $capacity ->
    [one] { $taken } of { $capacity } place filled
   *[other] { $taken } of { $capacity } places filled
}
places-filled = Places filled
number-filled = { $filled } of { $capacity }
shift-full = Full
shift-over = Over
shift-cancelled = Cancelled
shift-without-sign-up = No sign-up for this shift

# In search results and messengers.
summary = { $date }. { $text }
summary-cancelled = Cancelled. { $date }. { $text }
summary-looking-for-volunteers = { $organization } is looking for volunteers.

# Why nobody can sign up: a heading, and a sentence.
event-over = This event is over
event-over-text = Thank you to everyone who helped.
signups-ahead = Sign-ups open on { $opening }
signups-ahead-text = Please come back then.
signups-closed = Sign-ups are closed
signups-closed-text = No one can sign up for this event at the moment.
no-shifts = No shifts yet
no-shifts-text = There is nothing to sign up for at the moment. Please check again later.
shifts-over = Sign-up has closed
shifts-over-text = Every shift is over.
no-sign-up = No sign-up at the moment
no-sign-up-text = You can’t sign up for these shifts now.
no-places = No places left
no-places-text = If someone cancels, their place will show here.
no-places-but-list-text = You can join the waiting list of a shift.

## Why a form was refused, on the page of the event

choose-a-shift = Choose a shift
choose-a-shift-text = Tick each shift that you want, then select “{ sign-up-for-chosen }”.
choose-fewer = Choose at most { $max } shifts at once
choose-fewer-text = You can sign up for further shifts afterwards.
cannot-sign-up = Sorry, you can’t sign up
cancelled-meanwhile = The organizer cancelled the event while you were filling in the form.
cannot-sign-up-for-these = You can’t sign up for these shifts now
shift-removed-text = The organizer may have removed this shift.
choose-another = Please choose another shift.
some-places-saved = We could only save some of your places
some-sign-ups-saved = Your sign-ups for some shifts are saved
no-places-saved = Sorry, we couldn’t save any places
saved-for-html = Saved for { $people }:
not-saved = Not saved:
shift-and-times-html = { $shift }, { $times }
refused-shift-html = { $shift }, { $times }: { $reason }
mail-about-saved = An email about the places that are saved is on its way to you.
keep-your-place = If you already have a place, you keep it.
keep-your-place-and-mail = If you already have a place, you keep it, and we’ll email you a link to it (at most once an hour).

# For one shift. "People" is 2 or more.
sorry-too-few-places = Sorry, this shift doesn’t have { $people } places left
sorry-full = Sorry, this shift is full
sorry-over = Sorry, this shift is over
sorry-closed = Sorry, you can’t sign up now
sorry-unavailable = Sorry, this shift is no longer available

# For one of several shifts, after its name, day and time.
reason-too-few-places = it doesn’t have { $people } places left
reason-full = it is full
reason-over = it is over
reason-closed = sign-ups are closed
reason-removed = the organizer has removed it

## The form

sign-up-heading = Sign up
sign-up-title = Sign up: { $event }
join-waiting-list-title = Join the waiting list: { $event }
sign-up = Sign up
there-is-a-problem = There is a problem
# Before the sentence about a problem. Read out only.
problem = Problem:
your-shifts = { $count ->
    [one] Your shift
   *[other] Your { $count } shifts
}
cannot-sign-up-for-this = You can’t sign up for this shift.
shifts-gone = { $count ->
    [one] One shift that you chose is no longer available.
   *[other] { $count } shifts that you chose are no longer available.
}
choose-other-shifts = Choose other shifts
how-waiting-works = If there’s a place when you sign up, it’s yours. If not, you’re on the waiting list: when a place comes free and it’s your turn, it’s yours.
# Before a list of pairs of shifts.
these-overlap = { $pairs ->
    [one] These two overlap:
   *[other] These overlap:
}
sign-up-anyway = { $pairs ->
    [one] Sign up for both anyway
   *[other] Sign up for all of them anyway
}
overlap-problem = Some of the shifts overlap. Tick the box to sign up anyway
# Both numbers are 2 or more.
too-many-places = { $people } people and { $shifts } shifts are too many for one form, which takes at most { $max } places. Choose fewer shifts, or sign up some people later
your-name = Your name
name = Name
email-address = Email address
optional = (optional)
choose-an-option = Choose an option
person-number = Person { $number }
person-hint = Leave this empty if nobody else signs up.
add-person = Add another person
add-person-hint = For family or friends who come along. Each person gets a place of their own.
mail-with-details = We’ll email you the details and a link you can use to cancel.
no-mail = You won’t get an email, so write down the day and the time.
use-of-details-html = { $organization } uses your details to plan the event and to contact you about it.
privacy-notice-html = <a href="{ $link }" rel="noopener">Read its privacy notice</a>.

# What is wrong with a field, and what to do. They begin with the name of the field, which is one of these five. They have no full stop.
field-name = Your name
field-name-of-person = The name of person { $number }
field-email = Your email address
field-answer = “{ $label }”
field-answer-of-person = “{ $label }” (person { $number })
too-long = { $field } must be { $max } characters or fewer
has-line-break = { $field } must be on one line
has-tab = { $field } has a tab. Use spaces instead
has-unusable-characters = { $field } has characters that we can’t use. Please type it again
is-invisible = { $field } has no visible characters. Type it again
is-invisible-but-optional = { $field } has no visible characters. Type it again, or leave it empty
person-repeated = Person { $number } is in the form already. Enter each person once
enter-name = Enter your name
enter-name-of-person = Enter the name of person { $number }
enter-email = Enter your email address
malformed-email = Enter an email address like name@example.com
unusable-email = Enter an email address with only the letters a to z, digits and symbols such as . + - _ before the @
enter-answer = Enter an answer for { $field }
choose-answer = Choose an option for { $field }
tick-answer = Tick { $field } to sign up

## The page after the form

place-saved = Your place is saved
places-saved = Your places are saved
check-your-email = Check your email
thank-you = Thank you
# People are names, or names and "others", or a number of people. One person has one place in the first, and there are several places
# in the others.
place-saved-html = { $people }, your place on { $shift } is saved.
places-saved-html = { $people }, your places on { $shift } are saved.
places-on-shifts-saved-html = { $people }, your places on { $count } shifts are saved.
# After a form with which people join a waiting list if they find no place. Everyone reads the same.
sign-up-saved = Your sign-up is saved
sign-up-saved-html = { $people }, your sign-up for { $shift } is saved.
sign-ups-saved-html = { $people }, your sign-ups for { $count } shifts are saved.
place-or-list = If a shift was full, you’re on its waiting list. The email says whether you have a place.
place-or-list-without-mail = If a shift was full, you’re on its waiting list. Ask the organizer whether you have a place.
other-people = { $count ->
    [one] 1 other
   *[other] { $count } others
}
number-of-people = { $count ->
    [one] 1 person
   *[other] { $count } people
}
mail-on-its-way = An email with all the details and a link to cancel is on its way to you. If it isn’t there in a few minutes, look in your spam folder, and for an earlier email from us.
mail-on-its-way-html = An email to <strong dir="auto">{ $email }</strong> is on its way, with all the details and a link to cancel. If it isn’t there in a few minutes, look in your spam folder, and for an earlier email from us.
wrong-address = Wrong address? Ask the organizer to correct it.
wrong-address-and-contact-html = Wrong address? Ask the organizer to correct it: { $contact }.
cannot-come = If you can’t come, tell the organizer.
cannot-come-and-contact-html = If you can’t come, tell the organizer: { $contact }.
given-address-html = You gave the email address <span dir="auto">{ $email }</span>. Wrong address? Ask the organizer to correct it.
label-event = Event
label-day = Day
label-time = Time
add-to-calendar = Add to calendar
sign-somebody-else-up = Sign somebody else up
choose-another-shift = Choose another shift

## Pages without a form: what went wrong

page-not-found = Page not found
page-not-found-text = If you typed the web address, check it is correct. If you followed a link, the page may no longer be available. Ask the person who sent you the link.
to-start-page = Go to the start page
service-problem = Sorry, there is a problem with the service
service-problem-text = Please try again in a moment. If you were signing up, it’s safe to send the form again: you’ll only get one place.
too-many-attempts = Please wait a minute
too-many-attempts-text = Too many attempts. Please try again in a minute.
kept-what-you-typed = We’ve kept what you typed.
try-again = Try again
form-not-received = Sorry, we didn’t get your form
form-too-large = Your answers are too long. Go back and shorten them.
form-of-another-kind = Please use the form on the event’s page.
too-many-forms = The server got too many large forms at once. Go back and try again in a moment.
form-too-slow = Your form took too long to arrive. Go back and try again.
form-incomplete = Only part of your form arrived. Go back and try again.
to-event = Go to the event

## The page of all places, and its questions before a place is cancelled

your-places = Your places
all-that-you-have = This is everything you’re signed up for with the email address { $email }.
coming-up = Coming up
no-places-coming-up = You have no places coming up.
past-and-cancelled = Past and cancelled
moved-html = <strong>The organizer has changed the time or the location.</strong> It was: <span dir="auto">{ $before }</span>
on-other-shift-html = { $count ->
    [one] <strong>The organizer has moved this place to another shift.</strong> It was: <span dir="auto">{ $before }</span>
   *[other] <strong>The organizer has moved these places to another shift.</strong> It was: <span dir="auto">{ $before }</span>
}
cancel-this-place = Cancel this place
cancel-this-place-html = Cancel this place<span class="quiet">: { $name }, { $shift }, { $start }</span>
on-waiting-list = You’re on the waiting list.
place-in-line = Your position: { $number }.
leave-waiting-list = Leave the waiting list
leave-waiting-list-html = Leave the waiting list<span class="quiet">: { $name }, { $shift }, { $start }</span>
# The organizer has marked the person as here.
checked-in = You’re checked in.
your-calendar = Your calendar
your-calendar-text = To see your places in your calendar, subscribe to this web address. Your calendar then follows every change. Don’t share the address: anyone who has it can see your places and cancel them.
question-html = If you have a question, write to { $contact }.
label-who = Who
label-what-to-do = What to do
label-good-to-know = Good to know
# The answer of a ticked box.
answer-yes = Yes

# What has become of a place.
place-over = This shift is over. Thank you for helping.
place-waited-until-over = This shift is over. You were on its waiting list.
place-on-removed-shift = The organizer has removed this shift.
place-cancelled-by-you = { $count ->
    [one] You cancelled this place.
   *[other] You cancelled these places.
}
place-left-list = You left the waiting list.
place-taken-off-list = The organizer took you off the waiting list.
place-cancelled-with-event = The organizer has cancelled this event.
place-cancelled-with-shift = The organizer has cancelled this shift.
place-cancelled-by-organizer = { $count ->
    [one] The organizer has cancelled this place.
   *[other] The organizer has cancelled these places.
}

cannot-cancel = Sorry, that place can’t be cancelled
cannot-cancel-over = This shift is over, so you can no longer cancel your place.
cannot-cancel-removed = The organizer has removed this shift, so there is nothing left to cancel.
cancel-a-place = Cancel a place
ask-to-cancel = Do you want to cancel this place?
place-becomes-free = Someone else can then take the place.
# To a person whom the organizer has marked as here.
check-in-is-taken-back = You’ll no longer be checked in.
mail-about-cancellation = We’ll email you to confirm.
keep-this-place = Keep this place
ask-to-leave-waiting-list = Do you want to leave the waiting list?
list-starts-anew = If you join again later, you start at the end of the list.
stay-on-waiting-list = Stay on the waiting list
which-place = Which place do you want to cancel?
choose-the-place = Choose the place that you want to cancel
place-of-person-html = { $name }: { $shift }, { $times }
keep-all-places = Keep all places

## The page that turns reminders or messages off

stop-reminders-question = Do you want to stop reminders?
reminders-off = You won’t get reminders any more
reminders-on-again = You’ll get reminders again
reminders-on-text = We email you on the day before each shift. If you stop these emails, we’ll still tell you when a shift changes or is cancelled.
reminders-off-text = We won’t email you on the day before a shift. We’ll still tell you when a shift changes or is cancelled.
turn-reminders-on = Turn reminders on again
stop-messages-question = Do you want to stop messages?
messages-off = You won’t get messages any more
messages-on-again = You’ll get messages again
messages-on-text = The organizers can send messages to everyone who has signed up. If you stop these emails, we’ll still tell you when a shift changes or is cancelled.
messages-off-text = The organizers’ messages won’t reach you. We’ll still tell you when a shift changes or is cancelled.
turn-messages-off = Stop messages
turn-messages-on = Turn messages on again
to-your-places = See your places

## Emails

greeting = Hello,
greeting-with-name = Hello { $name },
# A line of facts.
fact = { $label }: { $value }
# Before what is on the next lines.
with-colon = { $text }:
label-shift = Shift
label-shift-was = Shift was
label-shift-now = Shift now
label-when-was = Time was
label-when-now = Time now
label-where-was = Location was
label-where-now = Location now
label-overlaps-with = Overlaps with
label-place-in-line = Position on the waiting list
no-place-given = No location given.
no-new-place = The organizer hasn’t given a new location.
about-event = About the event
about-shift = About the shift
about = About { $shift }
your-answers = Your answers
your-answers-for = Your answers for { $shifts }
answers-of = Answers from { $people } for { $shifts }
# In place of an answer that could be read as a link.
hidden-answer = (see the details)
all-your-places = All your places at this event
no-places-left = You have no places left at this event.
see-your-places = See your places, add them to your calendar or cancel
# For a person who only waits.
see-your-place-in-line = See your position on the waiting list, or leave the list
# After the day and the time of a shift.
when-waiting = { $when }, on the waiting list
see-the-details = See the details
see-the-event = See the event
stop-reminders = Stop reminders
stop-messages = Stop messages from the organizers
questions-html = Questions? Write to <a href="{ $link }">{ $contact }</a>.
questions = Questions? Write to { $contact }.
# In place of the name of an organization that could be misread.
the-organizer = The organizer
more-people = { $count } more
number-of-shifts = { $count } shifts
your-shifts-heading = { $count ->
    [one] Your shift
   *[other] Your shifts
}
message-heading = { $organization } sent you a message about { $event }

# Subjects: what happened (one of the texts before), where and when. The other ones are for one day and for several days.
subject = { $what }: { $event } – { $shift }, { $day }
subject-from = { $what }: { $event } – { $shift } from { $day }
subject-from-clock = { $what }: { $event } – { $shift } from { $clock }
subject-without-clock = { $what }: { $event } – { $shift }
subject-of-event = { $what }: { $event }, { $day }
subject-of-event-from = { $what }: { $event } from { $day }
subject-changed = Changed
subject-cancelled = Cancelled
today = Today
tomorrow = Tomorrow
reminder = Reminder
you-signed-up = You’re signed up
people-signed-up = { $count ->
    [one] { $people } is signed up
   *[other] { $people } are signed up
}
you-have-place = You now have a place
people-have-places = { $count ->
    [one] { $people } now has a place
   *[other] { $people } now have places
}
you-wait = You’re on the waiting list
people-wait = { $count ->
    [one] { $people } is on the waiting list
   *[other] { $people } are on the waiting list
}
off-list = Off the waiting list

# Headings. "Places" counts the places, and "count" counts the people.
you-signed-up-for = You’re signed up for { $shift }
people-signed-up-for = { $count ->
    [one] { $people } is signed up for { $shift }
   *[other] { $people } are signed up for { $shift }
}
you-have-place-on = { $places ->
    [one] You now have a place on { $shift }
   *[other] You now have places on { $shift }
}
people-have-places-on = { $count ->
    [one] { $people } now has a place on { $shift }
   *[other] { $people } now have places on { $shift }
}
you-wait-for = You’re on the waiting list for { $shift }
people-wait-for = { $count ->
    [one] { $people } is on the waiting list for { $shift }
   *[other] { $people } are on the waiting list for { $shift }
}
organizer-took-you-off-list = The organizer has taken you off the waiting list
organizer-took-people-off-list = The organizer has taken { $people } off the waiting list
you-left-list = You’ve left the waiting list
you-took-people-off-list = You’ve taken { $people } off the waiting list
you-already-have = { $places ->
    [one] You already have a place
   *[other] You already have places
}
person-already-has = { $places ->
    [one] { $people } already has a place
   *[other] { $people } already has places
}
people-already-have = { $people } already have places
this-shift-cancelled = This shift has been cancelled
these-shifts-cancelled = These shifts have been cancelled
organizer-cancelled-yours = { $places ->
    [one] The organizer has cancelled your place
   *[other] The organizer has cancelled your places
}
organizer-cancelled = { $places ->
    [one] The organizer has cancelled the place for { $people }
   *[other] The organizer has cancelled the places for { $people }
}
you-cancelled-yours = { $places ->
    [one] You’ve cancelled your place
   *[other] You’ve cancelled your places
}
you-cancelled = { $places ->
    [one] You’ve cancelled the place for { $people }
   *[other] You’ve cancelled the places for { $people }
}
you-were-moved-to = { $count ->
    [one] The organizer has moved you to { $shift }
   *[other] The organizer has moved you to { $shift }
}
people-were-moved-to = { $count ->
    [one] The organizer has moved { $people } to { $shift }
   *[other] The organizer has moved { $people } to { $shift }
}
shift-moved-to = Your shift has moved to { $day }
shift-changed = Your shift has changed
shifts-changed = Your shifts have changed
shifts-today = { $shifts ->
    [one] Your shift is today
   *[other] Your shifts are today
}
shifts-tomorrow = { $shifts ->
    [one] Your shift is tomorrow
   *[other] Your shifts are tomorrow
}
# The day is that of the first of the shifts.
shifts-soon = { $shifts ->
    [one] Your shift is on { $day }
   *[other] Your shifts start on { $day }
}

# The sentence under a heading.
event-cancelled-intro = The organizer has cancelled this event, so it won’t take place. Thank you for offering to help.
shift-cancelled-intro = The organizer has cancelled this shift, so nobody needs to come to it. Thank you for offering to help.
shifts-cancelled-intro = The organizer has cancelled these shifts, so nobody needs to come to them. Thank you for offering to help.
organizer-cancelled-intro = Thank you for offering to help.
you-cancelled-intro = Thanks for letting us know.
signed-up-intro = Thank you. We look forward to seeing you.
promoted-intro = { $places ->
    [one] A place has come free, and it’s yours. If you can’t come any more, please cancel it: the next person on the waiting list then gets it.
   *[other] Places have come free, and they’re yours. If you can’t come any more, please cancel them: the next people on the waiting list then get them.
}
waiting-intro = You don’t have a place yet, because the shift is full. If a place comes free and it’s your turn, it’s yours and we’ll email you.
waiting-asked-again = You signed up again with this email address, so here is what you have. If it wasn’t you, you can ignore this email. You don’t have a place yet: we’ll email you if it’s your turn.
reminder-intro = { $shifts ->
    [one] Thank you for helping. If you can’t come, please cancel your place so that someone else can take it.
   *[other] Thank you for helping. If you can’t come, please cancel your places so that others can take them.
}
on-other-shift-intro = You don’t need to do anything if this suits you. If you can’t come, please cancel so that someone else can help.
time-and-place-changed = The time and the location are different now.
time-changed = The time is different now.
place-changed = The location is different now.
# After one of the three before.
still-signed-up = You’re still signed up.
still-waiting = You’re still on the waiting list.
asked-again = You signed up again with this email address, so here is what you have. If it wasn’t you, you can ignore this email. You can sign up other people with the same email address: each person gets a place of their own.
corrected = An earlier email may have told you another time or location. This is how it is now.
