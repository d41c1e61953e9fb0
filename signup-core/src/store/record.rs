//! Records: what a store keeps, and what each kind of record declares.
//!
//! A kind declares, once, its key, its version, its parent, its unique values, its totals and its expiry: see [`Entity`].
//! Everything else follows from these declarations: the [keys](super::Keys) of a change set, its conflicts with others and
//! its locks. So a store never learns what a change set is for.

mod declarations;
mod totals;

use jiff::Timestamp;
use uuid::Uuid;

use crate::activity::Activity;
use crate::caller_key::ExternalId;
use crate::event::Event;
use crate::id::{
    ActivityId, DeliveryId, EventId, InvitationId, MessageId, NoticeId, OrganizationId, PersonId, QuestionId,
    ShiftId, SignupId, TokenId, WebhookId,
};
use crate::invitation::Invitation;
use crate::link::Link;
use crate::message::Message;
use crate::notice::Notice;
use crate::opt_out::{OptOut, Subscription};
use crate::organization::Organization;
use crate::person::{Membership, Person};
use crate::question::Question;
use crate::receipt::{Receipt, ReceiptKey};
use crate::secret::Digest;
use crate::shift::Shift;
use crate::sign_in::{SignIn, SignInCode};
use crate::signup::Signup;
use crate::text::LocationData;
use crate::text::{EmailAddress, PersonName};
use crate::token::Token;
use crate::webhook::{Delivery, Webhook};

pub use totals::{Share, Total};

/// What a kind of record declares.
///
/// A store calls these methods and no others to find out what a write changes besides the record itself.
pub trait Entity {
    /// Returns the key.
    fn key(&self) -> RecordKey;

    /// Returns the version, which each change of the record raises. `None` if the kind has no version: then a record
    /// is protected by the version of its parent, or never changes.
    ///
    /// The versions of a key only rise. Most keys never come back after the removal of their record. Where one does, as that of a
    /// membership, the rules begin above the versions of the earlier record. So
    /// [`Requirement::Unchanged`](super::Requirement::Unchanged) never holds for a later record.
    fn version(&self) -> Option<u32> {
        None
    }

    /// Returns the gate, a second version. The gate of an event or a shift is raised only by an edit that affects whether and how
    /// volunteers may sign up, that of an organization only by an edit that affects which webhooks receive its activity.
    fn gate(&self) -> Option<u32> {
        None
    }

    /// Returns the key of the parent. The removal of the parent removes this record.
    fn parent(&self) -> Option<RecordKey> {
        None
    }

    /// Returns the values that no other record may have at the same time.
    fn uniques(&self) -> Vec<Unique> {
        Vec::new()
    }

    /// Returns the totals in which this record counts as 1.
    fn shares(&self) -> Vec<Share> {
        Vec::new()
    }

    /// Returns the totals that a store keeps with the record. A change of the gate can change them, too.
    fn stored_totals(&self) -> Vec<Total> {
        Vec::new()
    }

    /// Returns when the record expires. A purge removes an expired record; until then, reads return it.
    fn expires_at(&self) -> Option<Timestamp> {
        None
    }

    /// Returns whether a new record may be inserted in place of this one at `now`: whether this one has expired, and has no
    /// version. [`Requirement::Absent`](super::Requirement::Absent) ignores a replaceable record.
    ///
    /// An expired record with a version keeps its unique values until it is put anew or removed, so that its versions only
    /// rise.
    fn is_replaceable(&self, now: Timestamp) -> bool {
        self.version().is_none() && self.expires_at().is_some_and(|expires_at| expires_at <= now)
    }
}

/// Data about the place of an event. The data can be 16 KiB long, so it is a record of its own: lists and reads of a single
/// event leave it out.
#[derive(Debug, Clone, PartialEq)]
pub struct EventLocationData {
    /// The owner.
    pub organization: OrganizationId,
    /// The event.
    pub event: EventId,
    /// The data.
    pub data: LocationData,
}

/// Defines [`Kind`] and [`Record`], and the conversions between a record and its type.
macro_rules! records {
    ($($(#[$doc:meta])* $kind:ident($type:ty);)*) => {
        /// The kind of a record. A parent's kind comes before the kinds of its children.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
        }

        /// A record of any kind.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Record {
            $($(#[$doc])* $kind(Box<$type>),)*
        }

        impl Record {
            /// Returns the kind.
            pub const fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind,)*
                }
            }

            /// Returns what the record declares.
            pub fn entity(&self) -> &dyn Entity {
                match self {
                    $(Self::$kind(record) => &**record,)*
                }
            }
        }

        $(
            impl From<$type> for Record {
                fn from(record: $type) -> Self {
                    Self::$kind(Box::new(record))
                }
            }

            /// Fails if the record is of another kind.
            impl<'r> TryFrom<&'r Record> for &'r $type {
                type Error = Kind;

                fn try_from(record: &'r Record) -> Result<Self, Kind> {
                    match record {
                        Record::$kind(record) => Ok(record),
                        other => Err(other.kind()),
                    }
                }
            }

            /// Fails with the record if it is of another kind.
            impl TryFrom<Record> for $type {
                type Error = Record;

                fn try_from(record: Record) -> Result<Self, Record> {
                    match record {
                        Record::$kind(record) => Ok(*record),
                        other => Err(other),
                    }
                }
            }
        )*
    };
}

records! {
    /// An [`Organization`].
    Organization(Organization);
    /// A [`Token`].
    Token(Token);
    /// An [`Event`].
    Event(Event);
    /// The [`EventLocationData`] of an event.
    LocationData(EventLocationData);
    /// A [`Shift`].
    Shift(Shift);
    /// A [`Question`].
    Question(Question);
    /// A [`Signup`].
    Signup(Signup);
    /// A [`Link`].
    Link(Link);
    /// A [`Receipt`].
    Receipt(Receipt);
    /// A [`Notice`].
    Notice(Notice);
    /// An [`Activity`].
    Activity(Activity);
    /// A [`Webhook`].
    Webhook(Webhook);
    /// A [`Delivery`].
    Delivery(Delivery);
    /// A [`Person`].
    Person(Person);
    /// A [`Membership`].
    Membership(Membership);
    /// An [`Invitation`].
    Invitation(Invitation);
    /// A [`SignInCode`].
    SignInCode(SignInCode);
    /// A [`SignIn`].
    SignIn(SignIn);
    /// A [`Message`].
    Message(Message);
    /// An [`OptOut`].
    OptOut(OptOut);
}

/// The key of a record. Every key but an organization's names the organization that owns the record, if one does: a person, a
/// code and a sign-in belong to none.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordKey {
    /// The key of an [`Organization`].
    Organization(OrganizationId),
    /// The key of a [`Token`].
    Token(OrganizationId, TokenId),
    /// The key of an [`Event`].
    Event(OrganizationId, EventId),
    /// The key of the [`EventLocationData`] of an event.
    LocationData(OrganizationId, EventId),
    /// The key of a [`Shift`].
    Shift(OrganizationId, ShiftId),
    /// The key of a [`Question`].
    Question(OrganizationId, QuestionId),
    /// The key of a [`Signup`].
    Signup(OrganizationId, SignupId),
    /// The key of a [`Link`].
    Link(OrganizationId, Digest),
    /// The key of a [`Receipt`].
    Receipt(ReceiptKey),
    /// The key of a [`Notice`].
    Notice(OrganizationId, NoticeId),
    /// The key of an [`Activity`].
    Activity(OrganizationId, ActivityId),
    /// The key of a [`Webhook`].
    Webhook(OrganizationId, WebhookId),
    /// The key of a [`Delivery`].
    Delivery(OrganizationId, DeliveryId),
    /// The key of a [`Person`].
    Person(PersonId),
    /// The key of a [`Membership`].
    Membership(OrganizationId, PersonId),
    /// The key of an [`Invitation`].
    Invitation(OrganizationId, InvitationId),
    /// The key of a [`SignInCode`]: the digest of the browser's secret.
    SignInCode(Digest),
    /// The key of a [`SignIn`]: the digest of its secret.
    SignIn(Digest),
    /// The key of a [`Message`].
    Message(OrganizationId, MessageId),
    /// The key of an [`OptOut`], with the [key](crate::EmailAddress::key) of its address.
    OptOut(OrganizationId, String, Subscription),
}

impl RecordKey {
    /// Returns the key of the opt-out of an address from the mails of a subscription.
    pub fn opt_out(organization: OrganizationId, mailbox: &EmailAddress, subscription: Subscription) -> Self {
        Self::OptOut(organization, mailbox.key().to_owned(), subscription)
    }

    /// Returns the kind of the record.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Organization(_) => Kind::Organization,
            Self::Token(..) => Kind::Token,
            Self::Event(..) => Kind::Event,
            Self::LocationData(..) => Kind::LocationData,
            Self::Shift(..) => Kind::Shift,
            Self::Question(..) => Kind::Question,
            Self::Signup(..) => Kind::Signup,
            Self::Link(..) => Kind::Link,
            Self::Receipt(_) => Kind::Receipt,
            Self::Notice(..) => Kind::Notice,
            Self::Activity(..) => Kind::Activity,
            Self::Webhook(..) => Kind::Webhook,
            Self::Delivery(..) => Kind::Delivery,
            Self::Person(_) => Kind::Person,
            Self::Membership(..) => Kind::Membership,
            Self::Invitation(..) => Kind::Invitation,
            Self::SignInCode(_) => Kind::SignInCode,
            Self::SignIn(_) => Kind::SignIn,
            Self::Message(..) => Kind::Message,
            Self::OptOut(..) => Kind::OptOut,
        }
    }

    /// Returns the organization that owns the record, [`OrganizationId::NONE`] if none does.
    pub const fn organization(&self) -> OrganizationId {
        match self {
            Self::Organization(organization)
            | Self::Token(organization, _)
            | Self::Event(organization, _)
            | Self::LocationData(organization, _)
            | Self::Shift(organization, _)
            | Self::Question(organization, _)
            | Self::Signup(organization, _)
            | Self::Link(organization, _)
            | Self::Notice(organization, _)
            | Self::Activity(organization, _)
            | Self::Webhook(organization, _)
            | Self::Delivery(organization, _)
            | Self::Membership(organization, _)
            | Self::Invitation(organization, _)
            | Self::Message(organization, _)
            | Self::OptOut(organization, ..) => *organization,
            Self::Receipt(key) => key.organization,
            Self::Person(_) | Self::SignInCode(_) | Self::SignIn(_) => OrganizationId::NONE,
        }
    }

    /// Returns the id of the record. `None` for a link, a receipt, a code, a sign-in and an opt-out, which have no id. Location
    /// data has the id of its event, and a membership that of its person.
    pub const fn id(&self) -> Option<Uuid> {
        Some(match self {
            Self::Organization(id) => id.uuid(),
            Self::Token(_, id) => id.uuid(),
            Self::Event(_, id) | Self::LocationData(_, id) => id.uuid(),
            Self::Shift(_, id) => id.uuid(),
            Self::Question(_, id) => id.uuid(),
            Self::Signup(_, id) => id.uuid(),
            Self::Notice(_, id) => id.uuid(),
            Self::Activity(_, id) => id.uuid(),
            Self::Webhook(_, id) => id.uuid(),
            Self::Delivery(_, id) => id.uuid(),
            Self::Person(id) | Self::Membership(_, id) => id.uuid(),
            Self::Invitation(_, id) => id.uuid(),
            Self::Message(_, id) => id.uuid(),
            Self::Link(..) | Self::Receipt(_) | Self::SignInCode(_) | Self::SignIn(_) | Self::OptOut(..) => {
                return None;
            }
        })
    }
}

/// A value that at most one record has at a time. A deleted record keeps its values, except its external id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unique {
    /// The slug of an organization.
    OrganizationSlug(String),
    /// The digest of a token.
    TokenDigest(Digest),
    /// The slug of an event, of any organization.
    EventSlug(String),
    /// The external id of an event that is not deleted, in its organization.
    EventExternalId(OrganizationId, ExternalId),
    /// The place of a person on a shift: of an [address](crate::EmailAddress::key) and a [name](crate::PersonName::key). An active
    /// sign-up, confirmed or waiting, holds it.
    Place(OrganizationId, ShiftId, String, String),
    /// The digest of a link's secret.
    Link(Digest),
    /// The key of a receipt.
    Receipt(ReceiptKey),
    /// The [address](crate::EmailAddress::key) of a person.
    PersonEmail(String),
    /// The digest of the secret of an invitation.
    InvitationSecret(Digest),
    /// The [address](crate::EmailAddress::key) that is invited to an organization.
    InvitedEmail(OrganizationId, String),
    /// The digest of the secret of a browser that asked for a code.
    SignInCode(Digest),
    /// The id of a notice, which follows from what the notice is for, if there is only one such notice.
    Notice(OrganizationId, NoticeId),
    /// The [address](crate::EmailAddress::key) that has turned the mails of a subscription off.
    OptOut(OrganizationId, String, Subscription),
}

impl Unique {
    /// Returns the place of the person with this name and this address on a shift.
    pub fn place(
        organization: OrganizationId,
        shift: ShiftId,
        email: &EmailAddress,
        name: &PersonName,
    ) -> Self {
        Self::Place(organization, shift, email.key().to_owned(), name.key())
    }
}
