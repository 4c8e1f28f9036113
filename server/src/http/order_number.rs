//! An order's number as it stands in an address.

use crate::{domain::order_number::is_order_number, problem::Problem};
use axum::extract::{Path, rejection::PathRejection};

/// What stands in the address where a number belongs.
pub type OrderNo = Result<Path<String>, PathRejection>;

/// The number in the address; anything else is not there.
pub fn order_number(order_no: OrderNo) -> Result<String, Problem> {
    order_no
        .ok()
        .map(|Path(number)| number)
        .filter(|number| is_order_number(number))
        .ok_or_else(Problem::not_found)
}
