//! What holds when everything was delivered.

use futures_util::FutureExt as _;
use signup_core::{
    CancelledBy, DeliveryStatus, Notice, NoticeCause, NoticeQuery, Recipient, SignedDuration, Signup,
    SignupStatus, Store, Timestamp, Webhook,
};

use super::inbox::{Heard, Inbox, reminded_at};
use super::ledger::{Ledger, Placed, ShiftHistory, SignupHistory};
use super::run::{Erasure, Simulation};
use super::waiting::LATE;

/// Checks every promise about a quiet moment.
///
/// # Errors
/// Returns the first promise that is broken.
pub(super) fn check(simulation: &Simulation) -> Result<(), String> {
    let world = &simulation.world;
    let (ledger, inbox, now) = (world.ledger(), world.inbox(), world.now());
    for event in ledger.events.keys() {
        ledger.check_given(*event, now)?;
    }
    for history in ledger.signups.values() {
        check_told(&ledger, &inbox, history, now)?;
    }
    for delivery in ledger.deliveries.values() {
        let is_enabled = ledger.webhooks.get(&delivery.webhook).is_some_and(Webhook::is_enabled);
        let arrived = inbox.deliveries.get(&delivery.id).copied().unwrap_or(0);
        match delivery.status() {
            DeliveryStatus::Delivered if arrived == 0 => {
                return Err(format!("{} counts as delivered and never arrived", delivery.activity.kind));
            }
            DeliveryStatus::Pending if is_enabled => {
                return Err(format!("{} was not delivered", delivery.activity.kind));
            }
            _ => {}
        }
    }
    check_erased(simulation, &ledger)
}

/// Checks that an address was told what holds of a sign-up.
fn check_told(ledger: &Ledger, inbox: &Inbox, history: &SignupHistory, now: Timestamp) -> Result<(), String> {
    let signup = &history.signup;
    let heard = inbox.heard.get(&signup.id);
    let of_shift = &ledger.shifts[&signup.shift];
    let is_over = of_shift.at().interval.is_over(now) || has_lapsed(of_shift, history);
    let name = format!("{} of {} for {}", signup.name, signup.email, of_shift.shift.title);
    match (history.last().by, heard) {
        (None, None) if is_over => Ok(()),
        (None, None) => Err(format!("{name} was never told of the place")),
        (None, Some(heard)) if heard.status == SignupStatus::Cancelled => {
            Err(format!("{name} was told of a cancellation that did not happen"))
        }
        (None, Some(heard)) if heard.status != history.last().status && !is_over => {
            Err(format!("{name} was told to be {:?} and is {:?}", heard.status, history.last().status))
        }
        (None, Some(heard)) if heard.shift != signup.shift => {
            let is_known = is_over && heard.at.interval.is_over(now);
            if is_known { Ok(()) } else { Err(format!("{name} was not told of the move to the shift")) }
        }
        (None, Some(heard)) if must_know(of_shift, heard, now) => {
            Err(format!("{name} was not told of the move to {:?}", of_shift.at()))
        }
        (None, Some(_)) => Ok(()),
        (Some(CancelledBy::Volunteer), None) => Ok(()),
        (Some(CancelledBy::Volunteer), Some(heard)) if has_ended(ledger, of_shift, signup, heard) => Ok(()),
        (Some(_), _) if history.last().is_silent => Ok(()),
        (Some(by), heard) if heard.is_none_or(|heard| heard.status != SignupStatus::Cancelled) => {
            Err(format!("{name} was not told of the cancellation by {}", by.name()))
        }
        (Some(_), _) => Ok(()),
    }
}

/// Checks that each address was reminded of the shifts whose moments have come and that do not begin soon, unless a mail is still
/// due.
///
/// # Errors
/// Returns who was not reminded.
pub(super) fn check_reminded(simulation: &Simulation) -> Result<(), String> {
    let (ledger, inbox, now) = (simulation.world.ledger(), simulation.world.inbox(), simulation.world.now());
    let minute = SignedDuration::from_mins(1);
    for history in ledger.signups.values().filter(|history| history.is_confirmed()) {
        let SignupHistory { signup, .. } = history;
        let (event, of_shift) = (&ledger.events[&signup.event], &ledger.shifts[&signup.shift]);
        let (moment, start) = (reminded_at(of_shift.at()), of_shift.at().interval.start);
        let is_off = event.deleted_at.is_some() || event.is_cancelled() || !event.is_published;
        let is_in_time = moment + minute < now && now < start - SignedDuration::from_hours(2) - minute;
        if is_off || !event.reminders_enabled || !is_in_time || of_shift.shift.deleted_at.is_some() {
            continue;
        }
        let concerns = |notice: &Notice| match &notice.cause {
            NoticeCause::News(recipient) => recipient.email.key() == signup.email.key(),
            NoticeCause::EventChanged(_) => true,
            _ => false,
        };
        let is_due = |notice: &Notice| notice.due_at.is_some() || notice.failure.is_some();
        let mut notices = ledger.notices.values().map(|history| &history.notice);
        if notices.any(|notice| notice.event == Some(event.id) && concerns(notice) && is_due(notice)) {
            continue;
        }
        // Every clock may be some seconds behind.
        let knows = |heard: &Heard| heard.sent_at + SignedDuration::from_secs(10) >= moment;
        if !inbox.heard.get(&signup.id).is_some_and(knows) {
            return Err(format!("{} of {} was not reminded at {moment}", signup.name, signup.email));
        }
    }
    Ok(())
}

/// Returns whether the address need not hear of the last change of a sign-up: the shift was over since, and moved without a mail.
fn has_lapsed(of_shift: &ShiftHistory, history: &SignupHistory) -> bool {
    let is_lapsed = |pair: &[Placed]| {
        let is_silent = !pair[1].is_announced && history.last().since < pair[1].since;
        is_silent && pair[0].at.interval.is_over(pair[1].moved_at + LATE)
    };
    of_shift.placed.windows(2).any(is_lapsed)
}

/// Returns whether a volunteer is not told of their own cancellation: the mail with the place has no report, and the place was over
/// before it moved.
fn has_ended(ledger: &Ledger, of_shift: &ShiftHistory, signup: &Signup, heard: &Heard) -> bool {
    let is_of = |notice: &Notice| {
        let is_own = |recipient: &Recipient| recipient.email.key() == signup.email.key();
        notice.event == Some(signup.event) && notice.recipient().is_some_and(is_own)
    };
    let mut notices = ledger.notices.values().filter(|history| is_of(&history.notice));
    let mut since = of_shift.placed.windows(2).skip(heard.placed);
    notices.any(|history| history.is_unreported(heard.version))
        && since.any(|pair| pair[0].at.interval.is_over(pair[1].moved_at + LATE))
}

/// Returns whether an address must have heard more about the time and the place: a move was announced since, and not undone.
fn must_know(history: &ShiftHistory, heard: &Heard, now: Timestamp) -> bool {
    // What was announced lapses while the shift is over: a silent move to later hours tells nobody of it.
    let is_lapsed = |pair: &[Placed]| {
        let moved_at = pair[1].moved_at + LATE;
        pair[0].at.interval.is_over(moved_at) && heard.at.interval.is_over(moved_at)
    };
    let lapsed = history.placed.windows(2).rposition(is_lapsed).map_or(0, |index| index + 1);
    let undone = history.placed.iter().rposition(|placed| placed.at.is_same_as(&heard.at)).unwrap_or(0);
    let mut since = history.placed.iter().skip(lapsed.max(undone + 1).max(heard.placed + 1));
    let is_over = heard.at.interval.is_over(now) && history.at().interval.is_over(now);
    since.any(|placed| placed.is_announced) && !is_over && history.shift.deleted_at.is_none()
}

/// Checks that nothing is left of the addresses that were erased.
fn check_erased(simulation: &Simulation, ledger: &Ledger) -> Result<(), String> {
    let world = &simulation.world;
    let (store, organization) = (&world.store as &dyn Store, world.organization());
    let erased = simulation.erased.lock().unwrap();
    for address in erased.iter().filter(|(_, erasure)| **erasure == Erasure::Done).map(|(address, _)| address)
    {
        let email = address.parse().unwrap();
        let links = store.links(organization, &email).now_or_never();
        let notices = store.notices(NoticeQuery::About(organization, address.clone()), 9).now_or_never();
        let has_signup =
            ledger.signups.values().any(|history| history.signup.email.key() == address.as_str());
        let is_empty = |found: Option<usize>| found == Some(0);
        let (links, notices) =
            (links.unwrap().ok().map(|found| found.len()), notices.unwrap().ok().map(|found| found.len()));
        if has_signup || !is_empty(links) || !is_empty(notices) {
            return Err(format!("{address} was erased, and has {links:?} links and {notices:?} notices"));
        }
    }
    Ok(())
}
