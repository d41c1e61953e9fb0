# What American English writes in another way than en.ftl, apart from the spelling of "canceled".

locale = en_US
date = { $weekday }, { $month } { $day }, { $year }
date-without-year = { $weekday }, { $month } { $day }
plain-date = { $month } { $day }, { $year }
plain-date-without-year = { $month } { $day }
end-of-day = midnight

choose-a-shift-text = Check the box of each shift that you want, then select “{ sign-up-for-chosen }”.
overlap-problem = Some of the shifts overlap. Check the box to sign up anyway
tick-answer = Check { $field } to sign up
reminders-off = You won’t get reminders anymore
messages-off = You won’t get messages anymore
promoted-intro = { $places ->
    [one] A place has opened up, and it’s yours. If you can’t come anymore, please cancel it: the next person on the waiting list then gets it.
   *[other] Places have opened up, and they’re yours. If you can’t come anymore, please cancel them: the next people on the waiting list then get them.
}
waiting-intro = You don’t have a place yet, because the shift is full. If a place opens up and it’s your turn, it’s yours and we’ll email you.
how-waiting-works = If there’s a place when you sign up, it’s yours. If not, you’re on the waiting list: when a place opens up and it’s your turn, it’s yours.
