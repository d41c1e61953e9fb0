//! Records with the records that they refer to, as one read of a store returns them.

use jiff::Timestamp;

use crate::event::Event;
use crate::organization::Organization;
use crate::person::{Membership, Person};
use crate::question::Question;
use crate::shift::{ScheduledShift, Shift};
use crate::sign_in::SignIn;
use crate::signup::Signup;
use crate::text::LocationData;
use crate::time_and_place::TimeAndPlace;

/// An event with everything that a duplicate copies.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EventInFull {
    /// The event.
    pub event: Event,
    /// Data about the place. A duplicate copies this data, and no handle of the service returns it. The data can be 16
    /// KiB long, so lists and reads of a single event leave it out.
    pub location_data: Option<LocationData>,
    /// The shifts in running order.
    pub shifts: Vec<ScheduledShift>,
    /// The questions by position, equal positions by id.
    pub questions: Vec<Question>,
}

impl EventInFull {
    /// Creates the event with its shifts, which may be in any order, and its questions by position. Location data is left out.
    pub fn new(event: Event, shifts: Vec<Shift>, questions: Vec<Question>) -> Self {
        let shifts = ScheduledShift::in_running_order(shifts, &event);
        Self { event, location_data: None, shifts, questions }
    }
}

/// A sign-up with the records that it refers to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SignupInFull {
    /// The organization of the event.
    pub organization: Organization,
    /// The event, deleted or not.
    pub event: Event,
    /// The shift, deleted or not.
    pub shift: ScheduledShift,
    /// The sign-up.
    pub signup: Signup,
    /// The place in the line of a sign-up that waits, from 1, where the service has looked it up. A store leaves it out.
    pub place_in_line: Option<u32>,
}

impl SignupInFull {
    /// Creates a sign-up with the records that it refers to.
    pub fn new(organization: Organization, event: Event, shift: Shift, signup: Signup) -> Self {
        Self { organization, shift: ScheduledShift::of(shift, &event), event, signup, place_in_line: None }
    }

    /// Returns when and where the shift is, like [`Signup::time_and_place`].
    pub fn time_and_place(&self) -> TimeAndPlace {
        self.signup.time_and_place(&self.shift, &self.event)
    }

    /// Returns whether the sign-up has a place, or waits for one, on a shift that is neither deleted nor over at `now`.
    pub fn is_to_come(&self, now: Timestamp) -> bool {
        self.signup.is_active() && self.shift.deleted_at.is_none() && !self.shift.is_over(now)
    }
}

/// A sign-in with the records that it refers to.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SignInInFull {
    /// The sign-in.
    pub sign_in: SignIn,
    /// The person who is signed in.
    pub person: Person,
    /// The memberships of the person, each with the organization, [in the order of
    /// organizations](Membership::sort_organizations).
    pub memberships: Vec<(Membership, Organization)>,
}

impl SignInInFull {
    /// Creates a sign-in with the person and the memberships, which may be in any order.
    pub fn new(sign_in: SignIn, person: Person, mut memberships: Vec<(Membership, Organization)>) -> Self {
        Membership::sort_organizations(&mut memberships);
        Self { sign_in, person, memberships }
    }
}
