//! Receipts: the stored outcome of an operation under an idempotency key.

use std::fmt;
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::caller_key::IdempotencyKey;
use crate::event::Event;
use crate::id::{CallerId, EventId, OrganizationId};
use crate::invitation::Invitation;
use crate::message::Message;
use crate::permission::Permission;
use crate::question::Question;
use crate::secret::Digest;
use crate::shift::ScheduledShift;
use crate::text_form::{names, text_form};
use crate::token::{Scope, Token};
use crate::value_error::ValueError;
use crate::webhook::{Delivery, Webhook};

/// The kinds of operations that can have an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum OperationKind {
    /// Create an event.
    CreateEvent,
    /// Duplicate an event.
    DuplicateEvent,
    /// Change a shift.
    PatchShift,
    /// Change an event.
    PatchEvent,
    /// Publish an event.
    PublishEvent,
    /// Unpublish an event.
    UnpublishEvent,
    /// Close sign-ups for an event.
    CloseSignups,
    /// Open sign-ups for an event.
    OpenSignups,
    /// Cancel an event.
    CancelEvent,
    /// Delete an event.
    DeleteEvent,
    /// Add shifts to an event.
    AddShifts,
    /// Delete a shift.
    DeleteShift,
    /// Add a question to an event.
    AddQuestion,
    /// Change a question.
    PatchQuestion,
    /// Delete a question.
    DeleteQuestion,
    /// Create a webhook.
    CreateWebhook,
    /// Change a webhook.
    PatchWebhook,
    /// Replace the secret of a webhook.
    RotateSecret,
    /// Test a webhook.
    TestWebhook,
    /// Delete a webhook.
    DeleteWebhook,
    /// Make a delivery again.
    Redeliver,
    /// Send a message to the volunteers of an event.
    SendMessage,
    /// Create a token.
    CreateToken,
    /// Invite a person.
    Invite,
}

names! {
    /// Every kind.
    OperationKind {
        CreateEvent => "create-event",
        DuplicateEvent => "duplicate-event",
        PatchShift => "patch-shift",
        PatchEvent => "patch-event",
        PublishEvent => "publish-event",
        UnpublishEvent => "unpublish-event",
        CloseSignups => "close-signups",
        OpenSignups => "open-signups",
        CancelEvent => "cancel-event",
        DeleteEvent => "delete-event",
        AddShifts => "add-shifts",
        DeleteShift => "delete-shift",
        AddQuestion => "add-question",
        PatchQuestion => "patch-question",
        DeleteQuestion => "delete-question",
        CreateWebhook => "create-webhook",
        PatchWebhook => "patch-webhook",
        RotateSecret => "rotate-secret",
        TestWebhook => "test-webhook",
        DeleteWebhook => "delete-webhook",
        Redeliver => "redeliver",
        SendMessage => "send-message",
        CreateToken => "create-token",
        Invite => "invite",
    }
}

impl OperationKind {
    /// Returns the operation on the record with this id. A kind that creates a record of the organization itself takes no id.
    pub fn on(self, id: impl Into<Uuid>) -> Operation {
        Operation { kind: self, record: (!self.creates()).then(|| id.into()) }
    }

    /// Returns whether the operation creates a record that belongs to the organization itself. Such an operation names no record.
    const fn creates(self) -> bool {
        matches!(self, Self::CreateEvent | Self::CreateWebhook | Self::CreateToken | Self::Invite)
    }

    /// Returns the permission that the operation requires.
    pub const fn permission(self) -> Permission {
        let scope = match self {
            Self::CreateEvent
            | Self::DuplicateEvent
            | Self::PatchEvent
            | Self::PublishEvent
            | Self::UnpublishEvent
            | Self::CloseSignups
            | Self::OpenSignups
            | Self::CancelEvent
            | Self::DeleteEvent
            | Self::AddQuestion
            | Self::PatchQuestion
            | Self::DeleteQuestion => Scope::EventsWrite,
            Self::PatchShift | Self::AddShifts | Self::DeleteShift => Scope::ShiftsWrite,
            Self::CreateWebhook
            | Self::PatchWebhook
            | Self::RotateSecret
            | Self::TestWebhook
            | Self::DeleteWebhook
            | Self::Redeliver => Scope::WebhooksWrite,
            Self::SendMessage => return Permission::SendMessages,
            Self::CreateToken => return Permission::ManageTokens,
            Self::Invite => return Permission::ManageMembers,
        };
        Permission::Scope(scope)
    }
}

/// An operation that can have an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Operation {
    kind: OperationKind,
    record: Option<Uuid>,
}

impl Operation {
    /// Returns what the operation does.
    pub const fn kind(self) -> OperationKind {
        self.kind
    }

    /// Returns the id of the record that the operation changes or copies, or of the event to which it adds records. `None` if it
    /// creates a record that belongs to the organization itself.
    pub const fn record(self) -> Option<Uuid> {
        self.record
    }
}

impl From<OperationKind> for Operation {
    /// Returns an operation that creates a record of the organization itself. Of any other kind it is that on no record.
    fn from(kind: OperationKind) -> Self {
        kind.on(Uuid::nil())
    }
}

impl fmt::Display for Operation {
    /// Writes a text that is unique for each operation. A store may use it as part of a key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.record {
            Some(record) => write!(f, "{}/{}", self.kind, record.hyphenated()),
            None => self.kind.fmt(f),
        }
    }
}

impl FromStr for Operation {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        const MALFORMED: ValueError =
            ValueError::Malformed { expected: "create-event, or the name of another operation, / and an id" };
        let (kind, id) = text.split_once('/').map_or((text, None), |(kind, id)| (kind, Some(id)));
        let kind: OperationKind = kind.parse().map_err(|_| MALFORMED)?;
        match id {
            Some(id) if !kind.creates() => Ok(kind.on(id.parse::<EventId>().map_err(|_| MALFORMED)?)),
            None if kind.creates() => Ok(kind.into()),
            _ => Err(MALFORMED),
        }
    }
}

text_form!(Operation);

/// The key of a receipt. Two keys are equal if all fields are equal.
///
/// The struct is exhaustive, so code that builds or destructures a key has to handle every field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReceiptKey {
    /// The organization of the session.
    pub organization: OrganizationId,
    /// The token or the person, or [`CallerId::NONE`] for the session of a program. The same idempotency key of another caller
    /// is another receipt key.
    pub caller: CallerId,
    /// The operation.
    pub operation: Operation,
    /// The caller's key.
    pub key: IdempotencyKey,
}

/// The stored outcome of an operation.
///
/// A receipt is written in the change set of its effect, so a crash leaves both durable or neither. There is no
/// separate state "in progress" that a crash could leave behind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Receipt {
    /// The key.
    pub key: ReceiptKey,
    /// The outcome of the operation.
    pub outcome: Outcome,
    /// An upper bound of the mails that the operation caused. See [`Reply::mails_queued`](crate::Reply::mails_queued).
    pub mails_queued: u32,
    /// The digest of the operation's input. See [`PendingWrite::with_input`](crate::PendingWrite::with_input).
    pub input: Option<Digest>,
    /// The first instant at which the receipt is ignored: the same key then runs the operation again.
    pub expires_at: Timestamp,
}

impl Receipt {
    /// How long a receipt is kept: 24 hours.
    pub const LIFE: SignedDuration = SignedDuration::from_hours(24);

    /// Creates a receipt of an operation that queued no mails, without a digest of its input. The receipt expires at `expires_at`.
    pub const fn new(key: ReceiptKey, outcome: Outcome, expires_at: Timestamp) -> Self {
        Self { key, outcome, mails_queued: 0, input: None, expires_at }
    }

    /// Returns whether the receipt has not expired at `now`.
    pub fn is_live(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

/// The outcome of an operation with an idempotency key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Outcome {
    /// The event that was created, or the event after the change.
    Event(Box<EventWithShifts>),
    /// The shift after the patch, whether or not the patch changed it.
    Shift(Box<ScheduledShift>),
    /// The shifts that were added, in running order.
    Shifts(Vec<ScheduledShift>),
    /// The question that was added, or the question after the patch.
    Question(Box<Question>),
    /// The webhook after the operation, with its secret.
    Webhook(Box<Webhook>),
    /// The delivery that was made, or made due again.
    Delivery(Box<Delivery>),
    /// The message that was sent.
    Message(Box<Message>),
    /// The token that was created, without its text.
    Token(Box<Token>),
    /// The invitation that was made, without the secret of its link. `None` if a member has the address.
    Invitation(Option<Box<Invitation>>),
    /// The record of the operation was deleted.
    ///
    /// Not a unit variant, because a store accepts only outcomes that serialize to an object.
    Deleted {},
}

/// Implements the conversions between [`Outcome`] and the types of outcomes. An outcome of another type is returned as
/// the error.
macro_rules! outcomes {
    ($($type:ty: |$value:ident| $into:expr, $pattern:pat => $from:expr;)*) => {$(
        impl From<$type> for Outcome {
            fn from($value: $type) -> Self {
                $into
            }
        }

        impl TryFrom<Outcome> for $type {
            type Error = Outcome;

            fn try_from(outcome: Outcome) -> Result<Self, Outcome> {
                match outcome {
                    $pattern => Ok($from),
                    other => Err(other),
                }
            }
        }
    )*};
}

outcomes! {
    EventWithShifts: |event| Self::Event(Box::new(event)), Outcome::Event(event) => *event;
    ScheduledShift: |shift| Self::Shift(Box::new(shift)), Outcome::Shift(shift) => *shift;
    Vec<ScheduledShift>: |shifts| Self::Shifts(shifts), Outcome::Shifts(shifts) => shifts;
    Question: |question| Self::Question(Box::new(question)), Outcome::Question(question) => *question;
    Webhook: |webhook| Self::Webhook(Box::new(webhook)), Outcome::Webhook(webhook) => *webhook;
    Delivery: |delivery| Self::Delivery(Box::new(delivery)), Outcome::Delivery(delivery) => *delivery;
    Message: |message| Self::Message(Box::new(message)), Outcome::Message(message) => *message;
    Token: |token| Self::Token(Box::new(token)), Outcome::Token(token) => *token;
    Option<Invitation>: |invitation| Self::Invitation(invitation.map(Box::new)),
        Outcome::Invitation(invitation) => invitation.map(|invitation| *invitation);
    (): |_deleted| Self::Deleted {}, Outcome::Deleted {} => ();
}

/// An event and all its shifts, in running order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EventWithShifts {
    /// The event.
    pub event: Event,
    /// The shifts.
    pub shifts: Vec<ScheduledShift>,
}

impl EventWithShifts {
    /// Creates the event with its shifts, in running order.
    pub const fn new(event: Event, shifts: Vec<ScheduledShift>) -> Self {
        Self { event, shifts }
    }
}
