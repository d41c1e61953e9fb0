//! Writing a store: a guide. This module has no items.
//!
//! A store is one type that implements [`Store`]: reads, and [one commit](#commit). Each `impl` needs `#[async_trait]`,
//! which this crate [re-exports](macro@crate::async_trait). A store that several processes share also implements
//! [`RequestCounter`].
//!
//! `signup-store-memory` is the shortest store: plain collections with indexes, behind a lock. It is the reference that
//! the [tests](#tests) compare other stores with. `signup-store-sql` has tables.
//!
//! # Records
//!
//! A store keeps [`Organization`], [`Token`], [`Event`], [`Shift`], [`Question`], [`Signup`], [`Receipt`] and
//! [`Notice`]. Their values are checked types, such as [`Title`](crate::Title). A store that decodes a value builds it
//! with the type's constructor, and reports a refused value as [`StoreError::corrupt`]. Values that an earlier release
//! accepted must stay readable: [`EmailAddress::stored`](crate::EmailAddress::stored) and
//! [`LocationData::stored`](crate::LocationData::stored) accept such values.
//!
//! Some fields are not stored with their record:
//!
//! - [`Shift::day`] and [`Shift::is_virtual`] are fields of the event. A read fills them in.
//! - [`Occupancy::filled`](crate::Occupancy::filled) is a count that the writes of sign-ups change.
//! - `location_data` belongs to an event, and only [`EventInFull`] returns it.
//!
//! # Reads
//!
//! The documentation of each method states the order, the limit, and the result for a missing record. A limit counts
//! the records that are returned, after the filters. Most reads name the organization. They isolate tenants: a record
//! of another organization counts as missing. The module page of [`store`](super) lists the exceptions.
//!
//! # Commit
//!
//! [`Store::commit`] gets a [`ChangeSet`]: requirements and writes as plain data. Under one lock, or in one
//! transaction, the store
//!
//! 1. checks each [`Requirement`] in its order, and returns the [`Refusal`] of the first that does not hold. The
//!    refusal carries the fact that was found, for example the stored receipt.
//! 2. applies each [`Write`] in its order.
//! 3. makes all writes durable, and only then returns.
//!
//! The service read these facts earlier, without the lock. Another commit may have changed them since, so the store
//! must check them again. A store needs no knowledge of the rules: the reason for a requirement is not part of the
//! change set.
//!
//! `Requirement` and `Write` are exhaustive on purpose. A store that does not handle a new variant does not compile.
//!
//! # Keys
//!
//! [`Requirement::keys`] and [`Write::keys`] declare what each of them reads and changes: the slug of an event, a
//! receipt, a shift, the address on a shift, a sign-up, a notice. [`ChangeSet::keys`] has the [`Keys`] of the whole change
//! set, with one [`Access`] for each [`Key`]:
//!
//! | access | meaning | does not conflict with |
//! |---|---|---|
//! | [`Read`](Access::Read) | reads the key | `Read` |
//! | [`Commute`](Access::Commute) | changes a total by 1, checks that a total has room, or touches one member of a set | `Commute` |
//! | [`Write`](Access::Write) | changes the key | no access |
//!
//! If the keys of two change sets do not conflict, both orders of the two commits have the same outcomes and leave the
//! same records. A store may then check them together, and write them in any order. The exception is a total at its bound.
//! Two sign-ups for one shift do not conflict, but only one of them may take the last place. A store that checks several
//! change sets together counts the additions to each total: [`Write::adds_to`] names the total that a write adds to.
//!
//! ```
//! use signup_core::store::Key;
//! use signup_core::{ChangeSet, OrganizationId, Plan, Requirement, ShiftId, SignupId, Write};
//!
//! let (organization, shift, signup) = (OrganizationId::NONE, ShiftId::NONE, SignupId::NONE);
//! let upgrade = Write::SetPlan { organization, plan: Plan::Pro };
//! let upgrade = ChangeSet { requires: vec![], writes: vec![upgrade] };
//! let check = Requirement::SignupConfirmed { organization, shift, signup };
//! let check = ChangeSet { requires: vec![check], writes: vec![] };
//! assert!(!upgrade.keys().conflicts_with(&check.keys()));
//! assert!(upgrade.keys().conflicts_with(&upgrade.keys()));
//! assert!(upgrade.keys().iter().all(|(key, _)| *key == Key::Organization(organization)));
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
//! [`Write::DeleteEvent`] and [`Write::DeleteShift`] keep the records, so that queued mails can still be written. Every
//! read omits them, except the reads that say otherwise. Requirements and writes about sign-ups and notices still find
//! them. [`Store::purge_deleted`] removes the records later.
//!
//! # Counting requests
//!
//! [`Store::request_counter`] returns `None` for a store of one process: the service counts the requests. A store that
//! several processes share returns a [`RequestCounter`], so that a rate limit applies to all of them together.
//!
//! # Wrappers
//!
//! [`Wrapper`] changes some methods of a store and forwards the others, for example to inject faults in tests of a
//! program that uses a store. `Store` is also implemented for `Arc` and `Box` of a store.
//!
//! # Tests
//!
//! The feature `conformance` has the suite that every store passes: the macro `conformance_tests!` defines a test for
//! each promise, and two tests with random inputs. The model test compares the store with a reference, the store
//! of `signup-store-memory`, after random operations. The test of serializability commits random change sets at the same
//! time, and finds an order in which the reference gives the same outcomes. The page of the module `conformance` shows a
//! complete test file, and how to remove a temporary folder. The functions in `conformance::records` create records for
//! further tests.

#[cfg(doc)]
use super::{
    Access, ChangeSet, CommitError, EventInFull, Key, Keys, Refusal, RequestCounter, Requirement, Store,
    StoreError, Wrapper, Write,
};
#[cfg(doc)]
use crate::{Event, Notice, Organization, Question, Receipt, ReceiptKey, Shift, Signup, Token};
