//! Volunteer-signup events: events with shifts, how full each shift is, changes that reach the volunteers, and copies of an
//! event to a new date.
//!
//! This crate is the domain, its rules and the [`Service`] that ties them to a [`Store`]. It knows no HTTP and no SQL: a
//! program embeds it with whichever store it likes.
//!
//! ```
//! use signup_core::{Capacity, Hours, NewEvent, NewOrganization, NewShift, Scopes, Service, date, time};
//! use signup_store_memory::MemoryStore;
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! let service = Service::new(MemoryStore::new());
//! let organization = NewOrganization::new("Riverside Food Bank".parse()?);
//! let organization = service.admin().create_organization(organization).await?;
//! let session = service.session_for(organization.id, Scopes::all()).await?;
//!
//! let nine_to_noon = Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?;
//! let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?).hours(nine_to_noon);
//! let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?).shift(packing);
//! let created = session.create_event(drive).await?.outcome;
//! assert_eq!(created.shifts[0].interval().start.to_string(), "2027-06-05T13:00:00Z");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # A tour
//!
//! - [`hours`] turns wall-clock times into instants, and is the only module that does; [`zone`] has the time zones.
//! - [`event`], [`shift`], [`organization`], [`token`], [`question`], [`signup`], [`receipt`] and [`notice`] are the records;
//!   [`text`], [`occupancy`], [`plan`] and [`id`] what they are made of. A value that exists is right.
//! - [`input`] is what callers hand in, right or wrong; [`fault`] is what is wrong with it, as data.
//! - [`store`] is what a store promises: reads, and one commit of a decision. [`store::writing`] is a guide for authors of
//!   a store.
//! - [`service`] reads, lets a rule decide, and commits. A rule is a pure function from facts, an input and the time to a
//!   decision; the rules are private.
//! - `conformance`, under the feature of that name, is the suite for authors of a store.
//!
//! Dates, times and instants are those of [`jiff`], and a [`Store`] is an [`macro@async_trait`]. Both crates stand in public
//! signatures, so they are re-exported here: a program gets the versions that fit without a dependency of its own.

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
mod rules;
pub mod secret;
pub mod service;
pub mod shift;
pub mod signup;
pub mod store;
pub mod text;
mod text_form;
pub mod token;
pub mod zone;

#[cfg(feature = "conformance")]
pub mod conformance;

pub use allowance::{Allowance, RateKey, Window, Windows};
#[doc(no_inline)]
pub use async_trait::async_trait;
pub use clock::{Clock, FixedClock, SystemClock};
pub use error::{Error, Result};
pub use event::{Event, EventDates, Latitude, Longitude, Theme};
pub use fault::{Fault, FaultKind, FaultPath, Faults, PathStep, ValueType};
pub use hours::{Day, EventDate, Hours, Interval, TimeError, WallTime};
pub use id::{EventId, IdError, NoticeId, OrganizationId, QuestionId, ShiftId, SignupId, TokenId};
pub use input::{
    Change, CheckedEvent, CheckedPatch, CheckedSignup, DuplicateInput, EventInput, EventListInput, Given,
    HoursPatch, Input, NewAnswer, NewEvent, NewOrganization, NewQuestion, NewShift, NewSignup, NewToken,
    ShiftInput, ShiftPatch, ShiftPatchInput, SignUpForm, SignUpInput, from_json,
};
#[doc(no_inline)]
pub use jiff::civil::{Date, Time, date, time};
#[doc(no_inline)]
pub use jiff::{self, SignedDuration, Timestamp};
pub use notice::{Delivery, DeliveryFailure, Notice, NoticeCause, NoticeFailure, ShiftChange, TimeAndPlace};
pub use occupancy::{Capacity, Occupancy};
pub use organization::Organization;
pub use plan::{Plan, PlanLimits, PlanTable};
pub use question::{Question, QuestionKind};
pub use receipt::{EventWithShifts, IdempotencyKey, Operation, Outcome, Receipt, ReceiptKey};
pub use secret::{Digest, Secret, TokenText};
pub use service::{
    Admin, EventList, EventPages, Outbox, Public, PublicEvent, Reply, Service, Session, SignedUp,
};
pub use shift::Shift;
pub use signup::{Answer, Signup, SignupStatus};
pub use store::{
    ChangeSet, CommitError, EventInFull, EventPage, EventQuery, NoticeCounts, Position, Refusal,
    RequestCounter, Requirement, Side, Store, StoreError, StoreErrorKind, Write,
};
pub use text::{
    AnswerText, BadgeLabel, Description, EmailAddress, EventLocation, Label, LocationData, Name, PersonName,
    ShiftLocation, Title, WebAddress,
};
pub use token::{Scope, Scopes, Token};
pub use zone::Zone;

/// The programs of the README, which the documentation tests compile and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
