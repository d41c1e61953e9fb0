//! Volunteer-signup events.

pub mod allowance;
pub mod clock;
pub mod cursor;
pub mod error;
pub mod event;
pub mod fault;
pub mod hours;
pub mod id;
pub mod input;
pub mod notice;
pub mod occupancy;
pub mod organization;
pub mod plan;
pub mod question;
pub mod receipt;
pub mod rules;
pub mod secret;
pub mod service;
pub mod shift;
pub mod signup;
pub mod store;
pub mod text;
pub mod token;

#[cfg(feature = "conformance")]
pub mod conformance;

pub use allowance::{Allowance, Caller, Windows};
pub use clock::{Clock, FixedClock, SystemClock};
pub use error::{Error, Result};
pub use event::{Event, EventDates, Latitude, Longitude, Theme};
pub use fault::{Fault, Faults};
pub use hours::{Day, EventDate, Hours, Interval, TimeError, WallTime, Zone};
pub use id::{EventId, NoticeId, OrganizationId, QuestionId, ShiftId, SignupId, TokenId};
pub use input::{
    DuplicateInput, EventInput, EventListInput, Given, NewOrganization, NewQuestion, NewToken, ShiftInput,
    ShiftPatchInput, SignUpInput, from_json,
};
pub use notice::{Notice, NoticeCause, TimeAndPlace};
pub use occupancy::{Capacity, Occupancy};
pub use organization::Organization;
pub use plan::{Plan, PlanLimits, PlanTable};
pub use question::{Question, QuestionKind};
pub use receipt::{EventWithShifts, IdempotencyKey, Operation, Outcome, Receipt, ReceiptKey};
pub use secret::{Digest, Secret, TokenText};
pub use service::{Call, EventList, Reply, Service, SignedUp};
pub use shift::Shift;
pub use signup::{Answer, Signup, SignupStatus};
pub use store::{
    ChangeSet, CommitError, EventInFull, EventPage, EventQuery, Position, Refusal, Requirement, Side, Store,
    StoreError, Write,
};
pub use text::{
    AnswerText, BadgeLabel, Description, EmailAddress, EventLocation, Label, LocationData, Name, PersonName,
    ShiftLocation, Title, WebAddress,
};
pub use token::{Scope, Scopes, Token};
