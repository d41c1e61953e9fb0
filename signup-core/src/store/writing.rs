//! Writing a store: a guide. This module has no items.
//!
//! A store is one type that implements [`Store`]: reads, and [one commit](#commit). Each `impl` needs `#[async_trait]`,
//! which this crate [re-exports](macro@crate::async_trait). A store that several processes share also implements
//! [`RequestCounter`].
//!
//! `signup-store-memory` is the model: plain collections with the indexes that the reads need, about 1,200 lines. It knows no use
//! case. The suite compares other stores with it. `signup-store-sql` has tables.
//!
//! Start with a [`Wrapper`] around the memory store, and replace its methods one by one. The suite runs at each step. When
//! no method is left, implement [`Store`] instead:
//!
//! ```
//! use signup_core::{ChangeSet, CommitError, Store, Wrapper, async_trait};
//! use signup_store_memory::MemoryStore;
//!
//! #[derive(Debug, Default)]
//! struct MyStore {
//!     model: MemoryStore,
//! }
//!
//! #[async_trait]
//! impl Wrapper for MyStore {
//!     fn inner(&self) -> &dyn Store {
//!         &self.model
//!     }
//!
//!     async fn commit(&self, change: ChangeSet) -> Result<(), CommitError> {
//!         // Writes the change set to its own place, too.
//!         self.model.commit(change).await
//!     }
//! }
//! ```
//!
//! # Records
//!
//! A [`Record`] is of one of the [kinds](Kind) that a store keeps. [`Entity`] is what a kind declares: its key, its version and
//! gate, its parent, its unique values, the totals in which it counts, and its expiry. A store calls [`Record::entity`] and
//! needs to know nothing else of a record, except for [lists](#reads), what a read fills in, and
//! [deletion](#deleted-records):
//!
//! ```
//! use signup_core::{
//!     Entity as _, EventId, Interval, OrganizationId, RecordKey, ShiftId, Signup, SignupId, TimeAndPlace, Timestamp,
//!     Told, Total,
//! };
//!
//! let (organization, event, shift) = (OrganizationId::NONE, EventId::NONE, ShiftId::NONE);
//! let (name, email) = ("Ada".parse()?, "ada@example.org".parse()?);
//! let interval = Interval { start: Timestamp::UNIX_EPOCH, end: Timestamp::from_second(3600)? };
//! let at = TimeAndPlace { interval, zone: "UTC".parse()?, location: None, event_location: None };
//! let path = (organization, event, shift);
//! let signup = Signup::new(SignupId::NONE, path, name, email, Told::new(shift, "Packing".parse()?, at), Timestamp::UNIX_EPOCH);
//! assert_eq!(signup.parent(), Some(RecordKey::Shift(organization, shift)));
//! assert_eq!(signup.uniques().len(), 1); // The place of the person on the shift.
//! assert_eq!(signup.shares()[0].total, Total::Filled(organization, shift));
//! assert_eq!(signup.expires_at(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This is what each kind declares. A [key](RecordKey) also names the organization, except those of a person, a code and a sign-in,
//! which belong to none.
//!
//! | kind | key | parent | unique values | totals | versions |
//! |---|---|---|---|---|---|
//! | [`Organization`](Kind::Organization) | its id | none | [`OrganizationSlug`](Unique::OrganizationSlug) | [`Organizations`](Total::Organizations) | version, gate |
//! | [`Token`](Kind::Token) | its id | organization | [`TokenDigest`](Unique::TokenDigest) | none | version |
//! | [`Event`](Kind::Event) | its id | organization | [`EventSlug`](Unique::EventSlug); [`EventExternalId`](Unique::EventExternalId) if it has one and is not deleted | [`ActiveEvents`](Total::ActiveEvents) until the end of its last day, if it is published, not cancelled and not deleted | version, gate |
//! | [`LocationData`](Kind::LocationData) | the id of the event | event | none | none | none |
//! | [`Shift`](Kind::Shift) | its id | event | none | none; [stores](Entity::stored_totals) the totals [`Filled`](Total::Filled) and [`Waiting`](Total::Waiting) | version, gate |
//! | [`Question`](Kind::Question) | its id | event | none | none | version |
//! | [`Signup`](Kind::Signup) | its id | shift | [`Place`](Unique::Place) if it is confirmed or waits | [`Filled`](Total::Filled) if it is confirmed, [`Waiting`](Total::Waiting) if it waits; [`PlacesOf`](Total::PlacesOf) in both cases; [`Answers`](Total::Answers) for each answer | version |
//! | [`Link`](Kind::Link) | its digest | organization | [`Link`](Unique::Link) | none | none |
//! | [`Receipt`](Kind::Receipt) | a [`ReceiptKey`](crate::ReceiptKey) | none | [`Receipt`](Unique::Receipt) | none | none |
//! | [`Notice`](Kind::Notice) | its id | its event, or none | [`Notice`](Unique::Notice) | none | version |
//! | [`Activity`](Kind::Activity) | its id | none | none | none | none |
//! | [`Webhook`](Kind::Webhook) | its id | organization | none | [`Webhooks`](Total::Webhooks) | version |
//! | [`Delivery`](Kind::Delivery) | its id | webhook | none | [`InFlight`](Total::InFlight) until the end of its lease, if it has one | version |
//! | [`Person`](Kind::Person) | its id | none | [`PersonEmail`](Unique::PersonEmail) | none | version |
//! | [`Membership`](Kind::Membership) | the id of the person | organization | none | none | version |
//! | [`Invitation`](Kind::Invitation) | its id | organization | [`InvitationSecret`](Unique::InvitationSecret); [`InvitedEmail`](Unique::InvitedEmail) if it has an address | none | version |
//! | [`SignInCode`](Kind::SignInCode) | the digest of the browser's secret | none | [`SignInCode`](Unique::SignInCode) | none | version |
//! | [`SignIn`](Kind::SignIn) | its digest | person | none | none | version |
//! | [`Message`](Kind::Message) | its id | event | none | [`Messages`](Total::Messages) until 24 hours after it was sent | none |
//! | [`OptOut`](Kind::OptOut) | the key of its address, and its subscription | organization | [`OptOut`](Unique::OptOut) | none | none |
//!
//! A receipt, an activity, a delivery, an invitation, a link, a code and a sign-in [expire](Entity::expires_at). Only a receipt is
//! then
//! [replaced](Entity::is_replaceable) by a new one with the same key. The expiry of a token is a field, which the service checks.
//!
//! A record belongs to an event if its line of parents leads to one: location data, a shift, a question, a message, a sign-up or a
//! notice.
//! [`Store::event_in_full`] takes the key of each of them, and of the event itself. The key of a deleted shift, of a
//! sign-up for it, or of a notice about it finds the event, too. The key of an organization, a token, a link, an
//! opt-out, a receipt, an activity, a webhook, a delivery or a record about people finds none.
//!
//! The values in records are checked types, such as [`Title`](crate::Title). A store that decodes a value builds it with the
//! type's constructor, and reports a refused value as [`StoreError::corrupt`].
//!
//! Every read sets the fields that a record takes from others, so a store may store them with the record or leave them out.
//! Their values in a write come from an earlier read, and can be out of date:
//!
//! - The state of a sign-up: [`Signup::of`] cancels a sign-up whose shift is closed. So a write changes one record, even if reads
//!   of other records then differ.
//! - [`Occupancy::filled`](crate::Occupancy::filled) and [`Occupancy::waitlisted`](crate::Occupancy::waitlisted): the totals
//!   [`Filled`](Total::Filled) and [`Waiting`](Total::Waiting) of the shift, which are 0 if the shift is closed. The put of a shift
//!   does not set the totals. A store [keeps these totals](Total::stored_with), because a thousand volunteers may sign up at once.
//!   It may count every other total by an index.
//!
//! A shift has its end as an instant, [`Shift::ends_at`](crate::Shift::ends_at). It follows from the event, and the record
//! keeps it so that a store can select events by their [open shifts](crate::OpenShift) without the rules of time zones. An edit
//! of the event that moves a shift puts the shift, too. A store that derives the end again with new zone data does so for the
//! stored records.
//!
//! Requirements and [`Store::holder`] depend on a sign-up in its present form, the one that `Signup::of` returns. Ask that form
//! for its [`uniques`](Entity::uniques) and [`shares`](Entity::shares), and not the stored one: the closing of a shift frees
//! each [`Place`](Unique::Place), and makes the totals `Filled`, `Waiting` and `PlacesOf` 0.
//!
//! # Reads
//!
//! [`Store::record`] reads one record by its key, and [`Store::holder`] by a unique value. Both return an expired record, too:
//! the caller compares its expiry with the time. Lists and snapshots have methods of their own, whose documentation states the
//! order, the limit, and the result for a missing record. A limit counts the records that are returned, after the filters.
//!
//! The instants of a shift follow from its event. [`EventInFull::new`] and [`SignupInFull::new`] take records, and
//! [`Store::shifts`] returns [`ScheduledShift::in_running_order`]. [`SignInInFull::new`],
//! [`Membership::sort_members`](crate::Membership::sort_members) and
//! [`Membership::sort_organizations`](crate::Membership::sort_organizations) sort people and organizations.
//!
//! Most reads name the organization. They isolate tenants: a record of another organization counts as missing. [`Store`]
//! lists the exceptions.
//!
//! # Commit
//!
//! [`Store::commit`] gets a [`ChangeSet`]: requirements and writes as plain data. Under one lock, or in one transaction, the
//! store
//!
//! 1. checks each [`Requirement`] in its order, and returns the [`Refusal`] of the first that does not hold. The refusal
//!    carries the fact that was found, for example the record that has the value.
//! 2. applies each [`Write`] in its order.
//! 3. makes all writes durable, and only then returns.
//!
//! | requirement | holds if | refusal |
//! |---|---|---|
//! | [`Unchanged`](Requirement::Unchanged), [`GateUnchanged`](Requirement::GateUnchanged) | the record, deleted or not, has this version, or this gate | [`Changed`](Refusal::Changed) |
//! | [`Absent`](Requirement::Absent) | no record has the value, or a [replaceable](Entity::is_replaceable) one | [`Taken`](Refusal::Taken) |
//! | [`AtLeast`](Requirement::AtLeast) | the total, which is [stored](Total::stored_with), has reached the bound | [`NotAtLeast`](Refusal::NotAtLeast) |
//! | [`Below`](Requirement::Below), [`AllZero`](Requirement::AllZero) | the total is below the bound, or each total is 0 | [`NotBelow`](Refusal::NotBelow) |
//!
//! A [`Put`](Write::Put) carries the record before and after, so a store derives from the pair which unique values and totals
//! change. A store may write only the fields in which the two differ. [`Write::states`] returns both. A
//! [`Remove`](Write::Remove) also removes the children, and theirs.
//!
//! The service read these facts earlier, without the lock. Another commit may have changed them since, so the store must
//! check them again. A store needs no knowledge of the rules: the reason for a requirement is not part of the change set.
//!
//! `Requirement` and `Write` are exhaustive on purpose. A store that does not handle a new variant does not compile.
//!
//! # Keys
//!
//! [`Requirement::keys`] and [`Write::keys`] name what each of them reads and changes: a record, its gate, a unique value or a
//! total. [`ChangeSet::keys`] has the [`Keys`] of the whole change set, with one [`Access`] for each [`Key`]:
//!
//! | access | meaning | does not conflict with |
//! |---|---|---|
//! | [`Read`](Access::Read) | reads the key | `Read` |
//! | [`Commute`](Access::Commute) | changes a total by 1, or checks that a total is below its bound | `Commute` |
//! | [`Insert`](Access::Insert) | inserts the record; needs no lock of the record | no access |
//! | [`Write`](Access::Write) | changes the key | no access |
//!
//! If the keys of two change sets do not conflict, both orders of the two commits have the same outcomes and leave the
//! same records. A store may then check them together, and write them in any order. The exception is a total at its bound.
//! Two sign-ups for one shift do not conflict, but only one of them may take the last place. A store that checks several
//! change sets together counts the additions to each total: a change of 1 in [`Write::totals`] is an addition.
//!
//! ```
//! use signup_core::{Access, Key};
//! use signup_core::{ChangeSet, OrganizationId, RecordKey, Requirement, ShiftId, Timestamp, Total};
//!
//! let (organization, shift) = (OrganizationId::NONE, ShiftId::NONE);
//! let total = Total::Filled(organization, shift);
//! let room = Requirement::Below { total: total.clone(), bound: 8, now: Timestamp::UNIX_EPOCH };
//! let key = RecordKey::Shift(organization, shift);
//! let gate = Requirement::GateUnchanged { key: key.clone(), gate: 1 };
//! let checks = ChangeSet { requires: vec![room, gate], writes: vec![] };
//! assert_eq!(checks.keys().get(&Key::Total(total)), Some(Access::Commute));
//! assert_eq!(checks.keys().get(&Key::Gate(key)), Some(Access::Read));
//! assert!(!checks.keys().conflicts_with(&checks.keys()));
//! ```
//!
//! A store can derive its locks from keys. A store with row locks acquires them in the order of [`Key`] for all commits,
//! so that no two commits wait for each other. A store never recognizes a use case by the shape of a change set. `Key` is
//! exhaustive on purpose: a store that maps keys to locks does not compile without a lock for a new key.
//!
//! # Errors
//!
//! A requirement that does not hold is [`CommitError::Refused`]. A failure of the backend is a [`StoreError`], of one
//! of three kinds:
//!
//! | constructor | for | what the caller does |
//! |---|---|---|
//! | [`StoreError::unavailable`] | a backend that is down, overloaded or too slow | retries later |
//! | [`StoreError::corrupt`] | a stored value that cannot be decoded | reports it; other records can be read |
//! | [`StoreError::failed`] | every other failure | reports it |
//!
//! After [`CommitError::Failed`] it is unknown whether the change set was applied. The store may have applied all of
//! the change set or none of it, but never a part. A receipt in the change set makes a retry safe. Bound every wait: a
//! caller prefers `unavailable` to no answer.
//!
//! # Runtime
//!
//! The service spawns no task and sets no timer, so its methods work on any async runtime. A store may need a certain
//! runtime. Its constructor then documents which one, and what happens without it. Do not hold a lock over an `await`,
//! and do not block the thread for long. A caller may drop the future of a commit. The commit then happens completely
//! or not at all.
//!
//! A store reads no clock and generates no id and no random number. The time is an argument, or a value of the change
//! set.
//!
//! # Deleted records
//!
//! A deleted event or shift is a record with `deleted_at`, so that queued mails can still be written. It keeps its unique values,
//! except that an event frees its external id. [`Deleted`] states what a read hides. Requirements and writes treat a deleted record
//! like any other.
//!
//! [`Store::purge`] removes deleted and expired records for good, in portions. It removes the record of an event last. The service
//! restores no event that a purge may have begun to remove.
//!
//! # Counting requests
//!
//! [`Store::request_counter`] returns `None` for a store of one process: the service counts the requests. A store that
//! several processes share returns a [`RequestCounter`], so that a rate limit applies to all of them together.
//!
//! # Wrappers
//!
//! [`Wrapper`] changes some methods of a store and forwards the others. `examples/wrapped_store.rs` logs
//! calls and injects faults, for tests of programs that use a store. `Store` is also implemented for `Arc` and `Box` of a store.
//!
//! # Tests
//!
//! The feature `conformance` has the suite that every store passes: the macro `conformance_tests!` defines a test for
//! each promise, and two tests with random inputs, which compare the store with a reference, `signup-store-memory`. The model
//! test runs random operations against both stores. The test of serializability commits random change sets at the same time, and
//! finds an order in which the reference has the same outcomes. The page of the module `conformance` shows a complete test file,
//! and how to remove a temporary folder. The functions in `conformance::records` create records for further tests.

#[cfg(doc)]
use super::{
    Access, ChangeSet, CommitError, Deleted, Entity, EventInFull, Key, Keys, Kind, Record, RecordKey,
    Refusal, RequestCounter, Requirement, SignInInFull, SignupInFull, Store, StoreError, Total, Unique,
    Wrapper, Write,
};
#[cfg(doc)]
use crate::{ScheduledShift, Signup};
