/// Cases of every operator for the conformance tests. In this module, each operator conforms to ``SampledOperator``,
/// which provides the cases of the operator.
@_exported import Operators
