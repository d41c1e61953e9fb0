//! `token`: create, list and revoke API tokens.

use signup_core::{Admin, Error, NewToken, Scopes, TokenId};

use super::{describe, find_organization, print};
use crate::config::TokenCommand;
use crate::output::Failure;
use crate::wire;

pub(super) async fn run(admin: &Admin, command: TokenCommand) -> Result<(), Failure> {
    match command {
        TokenCommand::Create { organization, name, scopes, expires_in_days } => {
            let scopes = match scopes {
                Some(scopes) => {
                    scopes.parse().map_err(|error| format!("--scopes '{scopes}': each scope {error}"))?
                }
                None => Scopes::all(),
            };
            let organization = find_organization(admin, &organization).await?;
            let new = NewToken::new(name, scopes).expires_in_days(expires_in_days);
            let (token, text) = admin.create_token(organization.id, new).await.map_err(describe)?;
            print(&wire::NewToken::new(&token, &text))
        }
        TokenCommand::List { organization } => {
            let organization = find_organization(admin, &organization).await?;
            let tokens = admin.tokens(organization.id).await.map_err(describe)?;
            tokens.iter().try_for_each(|token| print(&wire::Token::new(token)))
        }
        TokenCommand::Revoke { token_id } => {
            let id = token_id.parse().unwrap_or(TokenId::NONE);
            match admin.revoke_token(id).await {
                Ok(token) => print(&wire::Token::new(&token)),
                Err(Error::NotFound) => Err(format!("there is no token with the id {token_id}").into()),
                Err(error) => Err(describe(error).into()),
            }
        }
    }
}
