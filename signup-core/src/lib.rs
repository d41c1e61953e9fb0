//! Volunteer-signup events: events with shifts, sign-ups for the shifts, mails about changes, and copies of an event to
//! a new date.
//!
//! This crate has the domain, its rules, and the [`Service`] that a program embeds. It knows no HTTP and no SQL, and
//! works with every [`Store`].
//!
//! # From nothing to an event with sign-ups
//!
//! ```
//! use signup_core::{
//!     Capacity, FixedClock, Hours, NewEvent, NewOrganization, NewShift, NewSignup, Scopes, Service, date, time,
//! };
//! use signup_store_memory::MemoryStore;
//!
//! # tokio::runtime::Runtime::new()?.block_on(async {
//! // A program that serves people leaves the clock out, and opens a store that is durable.
//! let service = Service::new(MemoryStore::new()).with_clock(FixedClock::at("2027-05-01T12:00:00Z".parse()?));
//! let organization = NewOrganization::new("Riverside Food Bank".parse()?);
//! let organization = service.admin().create_organization(organization).await?;
//!
//! // The organizer publishes an event with a shift.
//! let session = service.session_for(organization.id, Scopes::all()).await?;
//! let nine_to_noon = Hours::between(time(9, 0, 0, 0), time(12, 0, 0, 0))?;
//! let packing = NewShift::new("Packing".parse()?, Capacity::new(8)?).hours(nine_to_noon);
//! let drive = NewEvent::new("Food drive".parse()?, date(2027, 6, 5), "America/New_York".parse()?).shift(packing);
//! let created = session.create_event(drive.published()).await?;
//! assert_eq!(created.shifts[0].interval().start.to_string(), "2027-06-05T13:00:00Z");
//!
//! // A volunteer signs up, and gets a mail that confirms it.
//! let form = service.volunteers().form(&created.event.slug, [created.shifts[0].id]).await?;
//! form.sign_up(NewSignup::new("Ada Lovelace".parse()?, "ada@example.org".parse()?)).await?.into_places()?;
//! assert_eq!(session.coverage(created.event.id).await?.remaining, 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is where
//!
//! - The handles, from [`Service`]: [`Session`], [`Admin`], [`Volunteers`], [`People`], [`Outbox`].
//! - Records: [`Organization`], [`Token`], [`Event`], [`Shift`], [`Question`], [`Signup`], [`Receipt`], [`Notice`],
//!   [`Activity`], [`Person`], [`Membership`], [`Invitation`], [`SignInCode`], [`SignIn`].
//! - Typed input: [`NewEvent`], [`EventPatch`], [`NewShift`], [`ShiftPatch`], [`NewQuestion`], [`QuestionPatch`],
//!   [`NewSignup`], [`Cancellation`], [`DeleteShift`], [`EventQuery`], [`CoverageQuery`], [`SignupQuery`], [`ActivityQuery`].
//!   Untyped input: [`Input`]. Faults: [`Faults`], [`Fault`], [`FaultKind`].
//! - Time: [`Hours`] and [`Day`] turn wall-clock times into instants, and nothing else does. [`Zone`] is a time zone. The
//!   handles return a [`ScheduledShift`]: the record of a shift with the day of its event, and so with its instants.
//! - For authors of a store: [`Store`], [`ChangeSet`], [`Record`], the guide [`writing`], and `conformance`, behind a
//!   feature.
//!
//! # The five handles
//!
//! A [`Service`] gives five handles, one for each kind of caller. [`Session`] is for a caller with a token or a person who is
//! signed in, [`Admin`] for the operator, [`Volunteers`] for volunteers, [`People`] for people who sign in, and [`Outbox`] for the
//! process that delivers mails. Each method of a handle has an example, or names the method whose example shows it.
//!
//! # Values, untyped input and faults
//!
//! [`NewEvent`], [`ShiftPatch`] and the records are made of checked values, such as [`Title`], [`Capacity`] and [`Zone`]. A checked
//! value is valid, because its constructor refuses an invalid one. Untyped input is an [`Input`], such as one that is read [from
//! JSON](Input::from_json), and becomes a typed value by a function such as [`NewEvent::from_input`]. One error then lists every
//! fault of the input, and [`Faults`] shows how a program reads the path and the kind of a fault.
//!
//! # Volunteers
//!
//! [`Volunteers`] reads a published event by its slug, and yields the [form](SignUpForm) of a shift. The form takes the
//! sign-up. A new sign-up has a [`Secret`], with which the volunteer reads and [cancels](Volunteers::cancel) it. If the event asks
//! [questions](Admin::add_question), a [`NewSignup`] has typed answers, and a [`SignUpInput`] has the fields of a form. A
//! server limits the attempts of each address with [`Volunteers::count_attempts`].
//!
//! # People
//!
//! A [`Person`] has a [`Role`] in one or more organizations. An [`Invitation`] makes a person a member, and a [`Code`] that is
//! mailed signs the person in. [`People`] has the complete way. [`People::signed_in`] reads who is signed in for each request, and
//! a
//! [`SignedIn`] yields the [`Session`] of an organization, whose [`Permissions`] are those of the role.
//!
//! # Activity
//!
//! Each write records in its own commit what happened, to which record, when and by whom. [`Session::activity`] lists these
//! records: an [`Activity`] has the names of the fields that changed, and no value of them.
//!
//! # Mails
//!
//! The library sends no mail. It queues a [`Notice`] in the commit of the sign-up, the cancellation or the change, so
//! no crash loses a mail. The program claims each due notice, sends a mail with its own text, and reports the result:
//! [`Outbox`] has the complete loop. The operator lists the notices that failed, and [queues](Admin::retry_notice) them
//! again. A [preview](Session::preview) says how many mails a write would queue, before a program calls it.
//!
//! # Errors, retries and idempotency keys
//!
//! [`Error`] has one variant for each cause that a caller can handle differently. After [`Error::Store`] it is unknown
//! whether a write was applied. With an idempotency key, a retry is safe: it returns the stored outcome if the first
//! call was applied. [`PendingWrite::with_key`] has an example, and [`Error::is_retryable`] tells which errors are worth a
//! retry.
//!
//! # Tests
//!
//! `signup_store_memory::MemoryStore` needs no setup, and each test can have its own. A [`FixedClock`] replaces the
//! system's clock, and changes only when the test [advances](FixedClock::advance) or [sets](FixedClock::set) it. The time
//! zone data is compiled in, so the result does not depend on the machine. `examples/embed_in_tests.rs` in the repository
//! tests a small program.
//!
//! # Several processes
//!
//! Processes share records through a store such as `signup_store_sql::PostgresStore`. Each commit checks its
//! [requirements](Requirement) again in the store, and each notice is leased to one process at a time. A store with a
//! [`RequestCounter`] makes [`Service::count_request`] count for all processes together. [`Service::authenticate`]
//! caches a token for at most 5 seconds, so every process refuses a token at the latest 5 seconds after its revocation.
//!
//! # Your own store
//!
//! A store implements [`Store`]: reads of records, and one commit of a [`ChangeSet`], which is plain data.
//! [`writing`] is the guide. The feature `conformance` has the suite of tests that every store passes. A
//! [`Wrapper`] changes some methods of another store, for example to inject faults.
//!
//! # Types of other crates
//!
//! Dates, times and instants are types of `jiff`, and the methods of a [`Store`] are async through the macro `async_trait`.
//! Public signatures also name types of `serde_json` and `uuid`. This crate re-exports all four, for example as
//! `signup_core::jiff`, so a program gets the matching versions without a dependency of its own.

mod activity;
mod allowance;
mod caller_key;
mod clock;
mod coverage;
mod cursor;
mod error;
mod event;
mod fault;
mod hours;
mod id;
mod input;
mod invitation;
mod language;
mod link;
mod locks;
mod mail;
mod message;
mod network;
mod news;
mod notice;
mod occupancy;
mod opt_out;
mod organization;
mod permission;
mod person;
mod plan;
mod question;
mod receipt;
mod rules;
mod secret;
mod service;
mod shift;
mod sign_in;
mod signup;
mod store;
mod summary;
mod text;
mod text_form;
mod time_and_place;
mod time_error;
mod token;
mod value_error;
mod volunteer;
mod webhook;
mod zone;

// The tests of this crate use the records of the suite.
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;

pub use activity::{Activity, ActivityType, Actor, Subject, TypeFilter};
pub use allowance::{Allowance, RateKey, Window, Windows};
#[doc(no_inline)]
pub use async_trait::async_trait;
pub use caller_key::{ExternalId, IdempotencyKey};
pub use clock::{Clock, FixedClock, SystemClock, TokioClock};
pub use coverage::{Coverage, CoverageState, EventCoverage, ShiftCoverage};
pub use error::{Error, Result};
pub use event::{Event, EventDates, Latitude, Longitude, SignupPhase, Theme};
pub use fault::{Fault, FaultKind, FaultPath, Faults, PathStep, UnknownName, ValueType};
pub use hours::{Day, EventDate, Hours, Interval, LocalDateTime, TimeError, WallTime};
pub use id::{
    ActivityId, CallerId, DeliveryId, EventId, InvitationId, MessageId, NoticeId, OrganizationId, PersonId,
    QuestionId, ShiftId, SignupId, TokenId, WebhookId,
};
pub use input::{
    Acceptance, Asked, Cancellation, Change, Correction, DeleteShift, DuplicateEvent, EventPatch, FirstOwner,
    HoursPatch, Input, NewAnswer, NewEvent, NewInvitation, NewMessage, NewOrganization, NewQuestion,
    NewShift, NewSignup, NewToken, NewVolunteer, NewWebhook, OrganizationPatch, QuestionPatch, ShiftPatch,
    SignUpInput, VolunteerInput, WebhookPatch,
};
pub use invitation::{Invitation, Invitee};
#[doc(no_inline)]
pub use jiff::civil::{Date, Time, date, time};
#[doc(no_inline)]
pub use jiff::{self, SignedDuration, Timestamp};
pub use language::Language;
pub use link::Link;
pub use locks::{FairLocks, HeldLock};
pub use mail::{InvitationMail, Mail, MailContent, MessageMail, MessagePlace};
pub use message::{Audience, Message};
pub use network::{Networks, is_public};
pub use news::{News, PlaceChange, PlaceNews};
pub use notice::{EventChange, MailFailure, Notice, NoticeCause, NoticeFailure, Recipient, Requests};
pub use occupancy::{Capacity, Minimum, Occupancy};
pub use opt_out::{OptOut, Subscription};
pub use organization::Organization;
pub use permission::{Permission, Permissions};
pub use person::{Membership, Person, Role};
pub use plan::{Plan, PlanLimits, PlanTable};
pub use question::{Question, QuestionKind};
pub use receipt::{EventWithShifts, Operation, OperationKind, Outcome, Receipt, ReceiptKey};
#[cfg(any(test, feature = "conformance"))]
pub use secret::seed_thread;
pub use secret::{Digest, Secret, TokenText, new_uuid};
pub use service::{
    Admin, EventSignups, MailChoice, OpenInvitation, Outbox, PageQuery, Pages, PendingWrite, People, Place,
    Places, PublicEvent, Reply, Service, Session, ShiftOutcome, ShiftSignups, SignUpForm, SignedIn, SignedUp,
    TokenUse, VolunteerData, Volunteers,
};
pub use shift::{CancelledBy, Closing, ScheduledShift, Shift, sort_by_running_order};
pub use sign_in::{Code, SignIn, SignInCode};
pub use signup::{Answer, Attendance, Signup, SignupState, SignupStatus, Told};
#[doc(inline)]
pub use store::writing;
pub use store::{
    Access, ActivityQuery, ChangeSet, CommitError, CoverageKey, CoverageQuery, Deleted, DeliveryQuery,
    Entity, EventInFull, EventKey, EventLocationData, EventOrder, EventQuery, Key, Keys, Kind, ListQuery,
    Listed, NoticeCounts, NoticeQuery, OpenShift, Page, Position, Purge, Record, RecordKey, Refusal,
    RequestCounter, Requirement, Share, Side, SignInInFull, SignupInFull, SignupQuery, Statistics, Store,
    StoreError, StoreErrorKind, Total, Unique, VolunteerKey, VolunteerQuery, Wrapped, Wrapper, Write,
};
pub use summary::{EventSummary, Summary, SummaryMail};
pub use text::{
    AnswerText, BadgeLabel, CancellationReason, Description, EmailAddress, EventLocation, Instructions,
    Label, LocationData, LocationDataError, MessageSubject, MessageText, Name, PersonName, SearchText,
    ShiftDescription, ShiftLocation, TextError, Title, WebAddress, WebhookDescription, is_host_name,
};
pub use time_and_place::TimeAndPlace;
pub use token::{Scope, Scopes, Token};
pub use value_error::ValueError;
pub use volunteer::{ShiftStart, Volunteer};
pub use webhook::{
    Attempt, Delivery, DeliveryState, DeliveryStatus, Disabled, DisabledReason, FormerSecret, Reported,
    SigningSecret, Webhook, WebhookUrl, WebhookUrlError,
};
pub use zone::{Zone, zone_data_version};
#[doc(no_inline)]
pub use {serde_json, uuid};

/// Compiles and runs the programs of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
