//! Where the record with a unique value is found.

use signup_core::{Kind, RecordKey, Unique};

use crate::sql::Value;

/// The kind of the record that has a unique value, and the columns of its table that have the value.
#[derive(Debug)]
pub(crate) struct Lookup {
    pub(crate) kind: Kind,
    pub(crate) columns: &'static [&'static str],
    /// The values of the columns.
    pub(crate) values: Vec<Value>,
}

/// The columns of a place. Only an active sign-up has the place.
pub(crate) const PLACE: &[&str] = &["organization_id", "shift_id", "email_key", "person_key"];

/// Returns where the record is found.
pub(crate) fn lookup(unique: &Unique) -> Lookup {
    let (kind, columns, values): (_, &'static [&'static str], _) = match unique {
        Unique::OrganizationSlug(slug) => (Kind::Organization, &["slug"], vec![slug.as_str().into()]),
        Unique::TokenDigest(digest) => (Kind::Token, &["digest"], vec![digest.as_bytes().as_slice().into()]),
        Unique::EventSlug(slug) => (Kind::Event, &["slug"], vec![slug.as_str().into()]),
        Unique::EventExternalId(organization, id) => {
            let values = vec![organization.uuid().into(), id.as_str().into()];
            (Kind::Event, &["organization_id", "held_external_id"], values)
        }
        Unique::Place(organization, shift, email_key, person_key) => {
            let [email_key, person_key] = [email_key, person_key].map(|key| key.as_str().into());
            (
                Kind::Signup,
                PLACE,
                vec![organization.uuid().into(), shift.uuid().into(), email_key, person_key],
            )
        }
        Unique::Link(digest) => (Kind::Link, &["digest"], vec![digest.as_bytes().as_slice().into()]),
        Unique::PersonEmail(email_key) => (Kind::Person, &["email_key"], vec![email_key.as_str().into()]),
        Unique::InvitationSecret(digest) => {
            (Kind::Invitation, &["digest"], vec![digest.as_bytes().as_slice().into()])
        }
        Unique::InvitedEmail(organization, email_key) => {
            let values = vec![organization.uuid().into(), email_key.as_str().into()];
            (Kind::Invitation, &["organization_id", "email_key"], values)
        }
        Unique::SignInCode(browser) => {
            (Kind::SignInCode, &["browser"], vec![browser.as_bytes().as_slice().into()])
        }
        Unique::Notice(organization, id) => {
            (Kind::Notice, &["organization_id", "id"], vec![organization.uuid().into(), id.uuid().into()])
        }
        Unique::OptOut(organization, mailbox, subscription) => {
            let key = RecordKey::OptOut(*organization, mailbox.clone(), *subscription);
            (Kind::OptOut, super::table(Kind::OptOut).key(), super::key_values(&key))
        }
        Unique::Receipt(key) => {
            let key = super::key_values(&RecordKey::Receipt(key.clone()));
            (Kind::Receipt, super::table(Kind::Receipt).key(), key)
        }
    };
    Lookup { kind, columns, values }
}
