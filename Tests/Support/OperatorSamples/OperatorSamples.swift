/// Cases of every operator for the conformance tests; an operator has them by conforming to
/// ``SampledOperator`` here.
@_exported import Operators
