//! The kinds of records: one file for each, with its table, its columns, and how a record is read from a row.
//!
//! A table lists its columns, each with its name, its kind, and its value in a record. The statements of both engines follow
//! from the list. A record is read by the names of the columns, so a statement may select them in any order, and beside the
//! columns of other tables.
//!
//! **Invariant:** no module here runs a statement.

pub(crate) mod activity;
pub(crate) mod delivery;
pub(crate) mod event;
pub(crate) mod invitation;
pub(crate) mod link;
pub(crate) mod location_data;
pub(crate) mod membership;
pub(crate) mod message;
pub(crate) mod notice;
pub(crate) mod opt_out;
pub(crate) mod organization;
pub(crate) mod person;
pub(crate) mod question;
pub(crate) mod receipt;
pub(crate) mod shift;
pub(crate) mod sign_in;
pub(crate) mod sign_in_code;
pub(crate) mod signup;
pub(crate) mod token;
pub(crate) mod unique;
pub(crate) mod webhook;

use signup_core::{Kind, RecordKey};

use crate::sql::Value;
use crate::sql::table::RecordTable;

/// Returns the table of the records of this kind.
pub(crate) fn table(kind: Kind) -> &'static dyn RecordTable {
    match kind {
        Kind::Organization => &organization::TABLE,
        Kind::Token => &token::TABLE,
        Kind::Event => &event::TABLE,
        Kind::LocationData => &location_data::TABLE,
        Kind::Shift => &shift::TABLE,
        Kind::Question => &question::TABLE,
        Kind::Signup => &signup::TABLE,
        Kind::Link => &link::TABLE,
        Kind::Receipt => &receipt::TABLE,
        Kind::Notice => &notice::TABLE,
        Kind::Activity => &activity::TABLE,
        Kind::Webhook => &webhook::TABLE,
        Kind::Delivery => &delivery::TABLE,
        Kind::Person => &person::TABLE,
        Kind::Membership => &membership::TABLE,
        Kind::Invitation => &invitation::TABLE,
        Kind::SignInCode => &sign_in_code::TABLE,
        Kind::SignIn => &sign_in::TABLE,
        Kind::Message => &message::TABLE,
        Kind::OptOut => &opt_out::TABLE,
    }
}

/// Returns the values of the key columns of a table, in their order.
pub(crate) fn key_values(key: &RecordKey) -> Vec<Value> {
    let owner = key.organization().uuid();
    match key {
        RecordKey::Organization(_) => vec![owner.into()],
        RecordKey::Person(id) => vec![id.uuid().into()],
        RecordKey::SignInCode(digest) | RecordKey::SignIn(digest) => {
            vec![digest.as_bytes().as_slice().into()]
        }
        RecordKey::Link(_, digest) => vec![owner.into(), digest.as_bytes().as_slice().into()],
        RecordKey::OptOut(_, email_key, subscription) => {
            vec![owner.into(), email_key.as_str().into(), subscription.name().into()]
        }
        RecordKey::Receipt(key) => vec![
            owner.into(),
            key.caller.uuid().into(),
            key.operation.to_string().into(),
            key.key.as_str().into(),
        ],
        key => key.id().map_or_else(Vec::new, |id| vec![owner.into(), id.into()]),
    }
}
