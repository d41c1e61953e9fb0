//! Changes of an organization and of its tokens.

use jiff::Timestamp;

use super::Decision;
use crate::organization::Organization;
use crate::plan::Plan;
use crate::store::ChangeSet;
use crate::token::Token;

/// Changes the plan of an organization.
pub(crate) fn set_plan(organization: Organization, plan: Plan) -> Decision<Organization> {
    if organization.plan == plan {
        return Decision::unchanged(organization);
    }
    let changed = Organization { plan, version: organization.version + 1, ..organization.clone() };
    let mut change = ChangeSet::default();
    change.replace(organization, changed.clone());
    Decision::new(changed, change)
}

/// Revokes a token. A token that is revoked already keeps its first time of revocation.
pub(crate) fn revoke_token(token: Token, now: Timestamp) -> Decision<Token> {
    if token.revoked_at.is_some() {
        return Decision::unchanged(token);
    }
    let revoked = Token { revoked_at: Some(now), version: token.version + 1, ..token.clone() };
    let mut change = ChangeSet::default();
    change.replace(token, revoked.clone());
    Decision::new(revoked, change)
}

#[cfg(test)]
mod tests {
    use super::super::facts::*;
    use super::*;
    use crate::conformance::records;

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
