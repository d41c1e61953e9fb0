//! What each kind of record declares.
//!
//! # A new kind of record
//!
//! A new kind needs code in these places of the repository. The compiler finds the matches, but not the lists or the
//! schemas.
//!
//! - `signup-core/src`: its id in `id.rs`, its type, its rules and the methods of the service. In `store/record.rs`: its
//!   line in `records!` and its `RecordKey`. Here: its [`Entity`].
//!   A kind with a short list has a `ListQuery`. One with pages has a method of `Store`, a query in `store/query/`, and a cursor in
//!   `cursor.rs`.
//! - `signup-core/src/conformance`: `records.rs`, `round_trip.rs`, `lookups.rs`, `random.rs`, `random/records.rs` and
//!   `random/world.rs`; `family.rs` if it belongs to an event; `model/compare.rs` and a file of its own if it has a list.
//! - `signup-store-memory/src`: `lists.rs`, and `is_deleted` in `tables.rs`.
//! - `signup-store-sql/src`: its file in `records/`, the match in `records/mod.rs`, and
//!   `sql/purge.rs` if it belongs to an event or expires, and `sql/read/` if it has a list.
//! - `signup-store-sql/migrations`: its table in both schemas.

use jiff::Timestamp;

use super::{Entity, EventLocationData, RecordKey, Share, Total, Unique};
use crate::activity::Activity;
use crate::event::Event;
use crate::invitation::Invitation;
use crate::link::Link;
use crate::message::Message;
use crate::notice::Notice;
use crate::opt_out::OptOut;
use crate::organization::Organization;
use crate::person::{Membership, Person};
use crate::question::Question;
use crate::receipt::Receipt;
use crate::shift::Shift;
use crate::sign_in::{SignIn, SignInCode};
use crate::signup::{Signup, SignupStatus};
use crate::token::Token;
use crate::webhook::{Delivery, DeliveryState, Webhook};

impl Entity for Organization {
    fn key(&self) -> RecordKey {
        RecordKey::Organization(self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn gate(&self) -> Option<u32> {
        Some(self.gate)
    }

    fn uniques(&self) -> Vec<Unique> {
        vec![Unique::OrganizationSlug(self.slug.clone())]
    }

    fn shares(&self) -> Vec<Share> {
        vec![Share::of(Total::Organizations)]
    }
}

impl Entity for Token {
    fn key(&self) -> RecordKey {
        RecordKey::Token(self.organization, self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Organization(self.organization))
    }

    fn uniques(&self) -> Vec<Unique> {
        vec![Unique::TokenDigest(self.digest)]
    }
}

impl Entity for Event {
    fn key(&self) -> RecordKey {
        RecordKey::Event(self.organization, self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn gate(&self) -> Option<u32> {
        Some(self.gate)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Organization(self.organization))
    }

    fn uniques(&self) -> Vec<Unique> {
        let external_id = self.external_id.clone().filter(|_| self.deleted_at.is_none());
        let external_id = external_id.map(|id| Unique::EventExternalId(self.organization, id));
        std::iter::once(Unique::EventSlug(self.slug.clone())).chain(external_id).collect()
    }

    fn shares(&self) -> Vec<Share> {
        let is_active = self.is_published && !self.is_cancelled() && self.deleted_at.is_none();
        let share =
            || Share { total: Total::ActiveEvents(self.organization), until: Some(self.dates.ends_at()) };
        is_active.then(share).into_iter().collect()
    }
}

impl Entity for EventLocationData {
    fn key(&self) -> RecordKey {
        RecordKey::LocationData(self.organization, self.event)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Event(self.organization, self.event))
    }
}

impl Entity for Shift {
    fn key(&self) -> RecordKey {
        RecordKey::Shift(self.organization, self.id)
    }

    // The closing of the shift sets the totals to 0.
    fn stored_totals(&self) -> Vec<Total> {
        vec![Total::Filled(self.organization, self.id), Total::Waiting(self.organization, self.id)]
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn gate(&self) -> Option<u32> {
        Some(self.gate)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Event(self.organization, self.event))
    }
}

impl Entity for Question {
    fn key(&self) -> RecordKey {
        RecordKey::Question(self.organization, self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Event(self.organization, self.event))
    }
}

impl Entity for Signup {
    fn key(&self) -> RecordKey {
        RecordKey::Signup(self.organization, self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Shift(self.organization, self.shift))
    }

    fn uniques(&self) -> Vec<Unique> {
        let place = || Unique::place(self.organization, self.shift, &self.email, &self.name);
        self.is_active().then(place).into_iter().collect()
    }

    fn shares(&self) -> Vec<Share> {
        let of_shift = match self.status() {
            SignupStatus::Confirmed => Some(Total::Filled(self.organization, self.shift)),
            SignupStatus::Waitlisted => Some(Total::Waiting(self.organization, self.shift)),
            SignupStatus::Cancelled => None,
        };
        let places_of = || Total::PlacesOf(self.organization, self.shift, self.email.key().to_owned());
        let places = of_shift.map(|total| [total, places_of()]);
        let answers = self.answers.iter();
        let answers = answers.map(|answer| Total::Answers(self.organization, self.event, answer.question_id));
        places.into_iter().flatten().chain(answers).map(Share::of).collect()
    }
}

impl Entity for Link {
    fn key(&self) -> RecordKey {
        RecordKey::Link(self.organization, self.digest)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Organization(self.organization))
    }

    fn uniques(&self) -> Vec<Unique> {
        vec![Unique::Link(self.digest)]
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }

    // A digest is of a random secret, so it never comes back.
    fn is_replaceable(&self, _: Timestamp) -> bool {
        false
    }
}

impl Entity for Receipt {
    fn key(&self) -> RecordKey {
        RecordKey::Receipt(self.key.clone())
    }

    fn uniques(&self) -> Vec<Unique> {
        vec![Unique::Receipt(self.key.clone())]
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

impl Entity for Webhook {
    fn key(&self) -> RecordKey {
        RecordKey::Webhook(self.organization, self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Organization(self.organization))
    }

    fn shares(&self) -> Vec<Share> {
        vec![Share::of(Total::Webhooks(self.organization))]
    }
}

impl Entity for Delivery {
    fn key(&self) -> RecordKey {
        RecordKey::Delivery(self.organization, self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Webhook(self.organization, self.webhook))
    }

    fn shares(&self) -> Vec<Share> {
        let total = Total::InFlight(self.organization, self.webhook);
        match self.state {
            DeliveryState::Pending { due_at, is_leased: true } => vec![Share { total, until: Some(due_at) }],
            _ => vec![],
        }
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

/// An activity has no parent: it stays when the record that it names is removed.
impl Entity for Activity {
    fn key(&self) -> RecordKey {
        RecordKey::Activity(self.organization, self.id)
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(Self::expires_at(self))
    }
}

impl Entity for Notice {
    fn key(&self) -> RecordKey {
        RecordKey::Notice(self.organization, self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        self.event.map(|event| RecordKey::Event(self.organization, event))
    }

    fn uniques(&self) -> Vec<Unique> {
        vec![Unique::Notice(self.organization, self.id)]
    }
}

impl Entity for Person {
    fn key(&self) -> RecordKey {
        RecordKey::Person(self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn uniques(&self) -> Vec<Unique> {
        vec![Unique::PersonEmail(self.email.key().to_owned())]
    }
}

/// A membership has one parent, the organization. The rule that ends the last membership of a person removes the person, too.
impl Entity for Membership {
    fn key(&self) -> RecordKey {
        RecordKey::Membership(self.organization, self.person)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Organization(self.organization))
    }
}

impl Entity for Invitation {
    fn key(&self) -> RecordKey {
        RecordKey::Invitation(self.organization, self.id)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Organization(self.organization))
    }

    fn uniques(&self) -> Vec<Unique> {
        let invited = self.invitee.as_ref();
        let invited =
            invited.map(|invitee| Unique::InvitedEmail(self.organization, invitee.email.key().to_owned()));
        std::iter::once(Unique::InvitationSecret(self.digest)).chain(invited).collect()
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

impl Entity for SignInCode {
    fn key(&self) -> RecordKey {
        RecordKey::SignInCode(self.browser)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn uniques(&self) -> Vec<Unique> {
        vec![Unique::SignInCode(self.browser)]
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(self.expires_at)
    }
}

impl Entity for SignIn {
    fn key(&self) -> RecordKey {
        RecordKey::SignIn(self.digest)
    }

    fn version(&self) -> Option<u32> {
        Some(self.version)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Person(self.person))
    }

    fn expires_at(&self) -> Option<Timestamp> {
        Some(Self::expires_at(self))
    }
}

impl Entity for Message {
    fn key(&self) -> RecordKey {
        RecordKey::Message(self.organization, self.id)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Event(self.organization, self.event))
    }

    fn shares(&self) -> Vec<Share> {
        let total = Total::Messages(self.organization, self.event);
        vec![Share { total, until: Some(self.counts_until()) }]
    }
}

/// An opt-out never changes, so its unique value protects it.
impl Entity for OptOut {
    fn key(&self) -> RecordKey {
        RecordKey::opt_out(self.organization, &self.mailbox, self.subscription)
    }

    fn parent(&self) -> Option<RecordKey> {
        Some(RecordKey::Organization(self.organization))
    }

    fn uniques(&self) -> Vec<Unique> {
        vec![Unique::OptOut(self.organization, self.mailbox.key().to_owned(), self.subscription)]
    }
}
