//! Changes of an organization and of its tokens.

use jiff::{SignedDuration, Timestamp};

use super::activity::changes_of_organization;
use super::{Decision, NewActivity};
use crate::activity::{ActivityType, Actor};
use crate::error::{Error, Result};
use crate::id::{OrganizationId, TokenId};
use crate::input::{NewToken, OrganizationPatch};
use crate::organization::Organization;
use crate::plan::Plan;
use crate::secret::Digest;
use crate::store::ChangeSet;
use crate::token::Token;

/// Changes the fields that `patch` names.
///
/// # Errors
/// Returns [`Error::Conflict`] if another caller has changed a field since its value in the patch was read.
pub(crate) fn update_organization(
    organization: Organization,
    patch: OrganizationPatch,
) -> Result<Decision<Organization>> {
    let patch = patch.merged(&organization).map_err(Error::Conflict)?;
    let changed = patch.apply(organization.clone());
    Ok(replace(organization, changed))
}

/// Changes the plan of an organization.
pub(crate) fn set_plan(organization: Organization, plan: Plan) -> Decision<Organization> {
    let changed = Organization { plan, ..organization.clone() };
    replace(organization, changed)
}

/// Puts `changed` in place of `organization`. Writes nothing if no value differs.
fn replace(organization: Organization, changed: Organization) -> Decision<Organization> {
    let changes = changes_of_organization(&organization, &changed);
    if changes.is_empty() {
        return Decision::unchanged(organization);
    }
    let changed = Organization { version: organization.version + 1, ..changed };
    let mut change = ChangeSet::default();
    change.replace(organization, changed.clone());
    let activity = NewActivity::of(ActivityType::ORGANIZATION_UPDATED, &changed);
    Decision::new(changed, change, [activity.with_changes(changes)])
}

/// Creates a token for `creator`, with the digest of its text.
///
/// # Errors
/// Returns [`Error::Invalid`] if the token has no scope, or its life is not 1 to 365 days.
pub(crate) fn create_token(
    organization: OrganizationId,
    new: &NewToken,
    creator: &Actor,
    (id, digest): (TokenId, Digest),
    now: Timestamp,
) -> Result<Decision<Token>> {
    new.check()?;
    let life = SignedDuration::from_hours(i64::from(new.expires_in_days) * 24);
    let expires_at = now.checked_add(life).unwrap_or(Timestamp::MAX);
    let token = Token::new(id, organization, new.name.clone(), digest, new.scopes, now);
    let token = Token { expires_at, created_by: creator.clone(), ..token };
    let mut change = ChangeSet::default();
    change.insert(token.clone());
    let created = NewActivity::of(ActivityType::TOKEN_CREATED, &token);
    Ok(Decision::new(token, change, [created]))
}

/// Records that a token was used. Writes nothing if a use is recorded that is less than a minute older, for example by another
/// process.
pub(crate) fn use_token(token: Token, used_at: Timestamp) -> Decision<()> {
    let mut change = ChangeSet::default();
    if token.is_use_to_record(used_at) {
        let used = Token { last_used_at: Some(used_at), version: token.version + 1, ..token.clone() };
        change.replace(token, used);
    }
    Decision::unrecorded((), change)
}

/// Revokes a token. A token that is revoked already keeps its first time of revocation.
pub(crate) fn revoke_token(token: Token, now: Timestamp) -> Decision<Token> {
    if token.revoked_at.is_some() {
        return Decision::unchanged(token);
    }
    let revoked = Token { revoked_at: Some(now), version: token.version + 1, ..token.clone() };
    let mut change = ChangeSet::default();
    change.replace(token, revoked.clone());
    let activity = NewActivity::of(ActivityType::TOKEN_REVOKED, &revoked);
    Decision::new(revoked, change, [activity])
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;

    #[test]
    fn an_update_changes_the_fields_that_it_names_and_writes_once() {
        let organization = records::organization(1);
        let patch = OrganizationPatch::new()
            .name("Hillside Library".parse().unwrap())
            .contact("desk@hillside.example".parse().unwrap())
            .clear_sport();
        let changed = update_organization(organization.clone(), patch.clone()).unwrap();
        assert_eq!(lines(&changed), ["Organization 1 at 1", "put Organization 1 to 2"]);
        let expected = Organization {
            name: "Hillside Library".parse().unwrap(),
            contact: Some("desk@hillside.example".parse().unwrap()),
            sport: None,
            version: 2,
            ..organization.clone()
        };
        assert_eq!(changed.outcome, expected);
        assert_eq!(lines(&update_organization(changed.outcome, patch).unwrap()), [""; 0]);
        assert_eq!(lines(&update_organization(organization, OrganizationPatch::new()).unwrap()), [""; 0]);
    }

    #[test]
    fn a_use_of_a_token_is_recorded_once_a_minute() {
        let token = records::token(1, 1);
        let used = |last: Option<i64>, second| {
            let token = Token { last_used_at: last.map(records::at), ..token.clone() };
            lines(&use_token(token, records::at(second)))
        };
        let recorded = ["Token 1 at 1", "put Token 1 to 2"];
        assert_eq!(used(None, 5), recorded);
        assert_eq!(used(Some(5), 65), recorded);
        for second in [64, 5, 4] {
            assert_eq!(used(Some(5), second), [""; 0], "{second}");
        }
    }

    #[test]
    fn an_update_sets_and_clears_every_nullable_field() {
        let full = records::organization(1);
        let clear =
            OrganizationPatch::new().clear_sport().clear_public_url().clear_contact().clear_privacy_url();
        let bare = update_organization(full.clone(), clear).unwrap().outcome;
        let expected = Organization {
            sport: None,
            public_url: None,
            contact: None,
            privacy_url: None,
            version: 2,
            ..full.clone()
        };
        assert_eq!(bare, expected);
        let set = OrganizationPatch::new()
            .sport(full.sport.clone().unwrap())
            .public_url(full.public_url.clone().unwrap())
            .contact(full.contact.clone().unwrap())
            .privacy_url(full.privacy_url.clone().unwrap());
        assert_eq!(update_organization(bare, set).unwrap().outcome, Organization { version: 3, ..full });
    }

    #[test]
    fn a_contact_that_differs_only_in_case_is_another_text() {
        let patch = OrganizationPatch::new().contact("HELP@riverside.example.org".parse().unwrap());
        let changed = update_organization(records::organization(1), patch).unwrap().outcome;
        assert_eq!(changed.contact.unwrap().as_str(), "HELP@riverside.example.org");
    }

    #[test]
    fn a_plan_and_a_revocation_are_written_once() {
        let changed = set_plan(records::organization(1), Plan::Pro);
        assert_eq!(lines(&changed), ["Organization 1 at 1", "put Organization 1 to 2"]);
        assert_eq!(lines(&set_plan(changed.outcome, Plan::Pro)), [""; 0]);
        let revoked = revoke_token(records::token(1, 3), before());
        assert_eq!(lines(&revoked), ["Token 3 at 1", "put Token 3 to 2"]);
        let again = revoke_token(revoked.outcome, after_event());
        assert_eq!((lines(&again), again.outcome.revoked_at), (vec![], Some(before())));
    }
}
