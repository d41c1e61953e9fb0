//! The JSON of everything that is stored about a volunteer, which the organization hands out.

use serde::Serialize;
use signup_core::{CancellationReason, EmailAddress, SignupInFull};
use uuid::Uuid;

use super::{Instant, Notice, Signup};

/// Everything that is stored about an address.
#[derive(Debug, Serialize)]
pub(crate) struct VolunteerData<'a> {
    email: &'a str,
    signups: Vec<VolunteerSignup<'a>>,
}

/// A sign-up, with what it is for, what the volunteer was told, and its mails.
#[derive(Debug, Serialize)]
struct VolunteerSignup<'a> {
    #[serde(flatten)]
    signup: Signup<'a>,
    /// Why the organizer cancelled the sign-up.
    cancellation_reason: Option<&'a str>,
    /// When the volunteer signed up again, which changed nothing.
    repeated_at: Option<Instant>,
    event: Event<'a>,
    slot: Slot<'a>,
    told: Told<'a>,
    /// The mails that wait, and those that failed.
    mails: Vec<Notice<'a>>,
}

#[derive(Debug, Serialize)]
struct Event<'a> {
    id: Uuid,
    title: &'a str,
    organization: &'a str,
}

#[derive(Debug, Serialize)]
struct Slot<'a> {
    id: Uuid,
    title: &'a str,
    start_time: Instant,
    end_time: Instant,
}

/// When and where the shift is by the last mail to the volunteer.
#[derive(Debug, Serialize)]
struct Told<'a> {
    start_time: Instant,
    end_time: Instant,
    timezone: &'a str,
    locations: Vec<&'a str>,
}

impl<'a> VolunteerData<'a> {
    pub(crate) fn new(email: &'a EmailAddress, data: &'a signup_core::VolunteerData) -> Self {
        Self { email: email.as_str(), signups: data.signups.iter().map(VolunteerSignup::new).collect() }
    }
}

impl<'a> VolunteerSignup<'a> {
    fn new(stored: &'a signup_core::VolunteerSignup) -> Self {
        let SignupInFull { organization, event, shift, signup, .. } = &stored.in_full;
        let (interval, told) = (shift.interval(), &signup.told);
        let mail = |notice| Notice::new(notice, Some(signup.email.clone()));
        Self {
            signup: Signup::new(signup),
            cancellation_reason: signup.cancellation_reason(event, shift).map(CancellationReason::as_str),
            repeated_at: signup.repeated_at.map(Instant),
            event: Event {
                id: event.id.uuid(),
                title: event.title.as_str(),
                organization: organization.name.as_str(),
            },
            slot: Slot {
                id: shift.id.uuid(),
                title: shift.title.as_str(),
                start_time: Instant(interval.start),
                end_time: Instant(interval.end),
            },
            told: Told {
                start_time: Instant(told.interval.start),
                end_time: Instant(told.interval.end),
                timezone: told.zone.name(),
                locations: told.locations().collect(),
            },
            mails: stored.notices.iter().map(mail).collect(),
        }
    }
}
