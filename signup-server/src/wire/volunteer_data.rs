//! The JSON of everything that is stored about a volunteer, which the organization hands out.

use serde::Serialize;
use signup_core::{CancellationReason, EmailAddress, Role, SignupInFull, Subscription};
use uuid::Uuid;

use super::{Instant, Member, Notice, Signup};

/// Everything that is stored about an address.
#[derive(Debug, Serialize)]
pub(crate) struct VolunteerData<'a> {
    email: &'a str,
    signups: Vec<VolunteerSignup<'a>>,
    /// The mails that wait, those that failed, and what is known of those that were sent: one for each event, and one for each
    /// message.
    mails: Vec<Notice<'a>>,
    /// The member who has the address.
    member: Option<Member<'a>>,
    invitation: Option<Invitation<'a>>,
    opt_outs: Vec<OptOut>,
}

/// Mails that the volunteer has turned off.
#[derive(Debug, Serialize)]
struct OptOut {
    mails: Subscription,
    created_at: Instant,
}

/// The invitation of the address.
#[derive(Debug, Serialize)]
struct Invitation<'a> {
    name: &'a str,
    email: &'a str,
    role: Role,
    created_at: Instant,
    expires_at: Instant,
}

/// A sign-up, with what it is for, and what the volunteer was told.
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

/// When and where the shift is by the last mail to the volunteer, or as the form showed it.
#[derive(Debug, Serialize)]
struct Told<'a> {
    /// The title of the shift, which is another one if the organizer has moved the sign-up since.
    slot_title: &'a str,
    start_time: Instant,
    end_time: Instant,
    timezone: &'a str,
    locations: Vec<&'a str>,
    /// When that mail was sent. `None` before the first one.
    sent_at: Option<Instant>,
}

impl<'a> VolunteerData<'a> {
    pub(crate) fn new(email: &'a EmailAddress, data: &'a signup_core::VolunteerData) -> Self {
        Self {
            email: email.as_str(),
            signups: data.signups.iter().map(VolunteerSignup::new).collect(),
            mails: data
                .notices
                .iter()
                .map(|notice| Notice::new(notice, notice.cause.volunteer().cloned()))
                .collect(),
            member: data.member.as_ref().map(|(membership, person)| Member::new(membership, person)),
            invitation: data.invitation.as_ref().and_then(Invitation::new),
            opt_outs: data.opt_outs.iter().map(OptOut::new).collect(),
        }
    }
}

impl OptOut {
    const fn new(opt_out: &signup_core::OptOut) -> Self {
        Self { mails: opt_out.subscription, created_at: Instant(opt_out.created_at) }
    }
}

impl<'a> Invitation<'a> {
    /// Returns `None` for an invitation of a first owner, which has no address.
    fn new(invitation: &'a signup_core::Invitation) -> Option<Self> {
        let invitee = invitation.invitee.as_ref()?;
        Some(Self {
            name: invitee.name.as_str(),
            email: invitee.email.as_str(),
            role: invitation.role,
            created_at: Instant(invitation.created_at),
            expires_at: Instant(invitation.expires_at),
        })
    }
}

impl<'a> VolunteerSignup<'a> {
    fn new(stored: &'a SignupInFull) -> Self {
        let SignupInFull { organization, event, shift, signup, .. } = stored;
        let (interval, told) = (shift.interval(), &signup.told.at);
        let sent_at = signup.told.sent_at.map(Instant);
        Self {
            signup: Signup::new(signup, Some(shift).filter(|shift| shift.deleted_at.is_none())),
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
                slot_title: signup.told.title.as_str(),
                start_time: Instant(told.interval.start),
                end_time: Instant(told.interval.end),
                timezone: told.zone.name(),
                locations: told.locations().collect(),
                sent_at,
            },
        }
    }
}
