import Backends
import Operators

extension PointwiseOperator {
  /// The program of the operator, in one pass over memory.
  public var kernels: [KernelCandidate] {
    // As fields of a NeuralNetwork are written: “native addBroadcastable”.
    [program.candidate("native \(name.prefix(1).lowercased())\(name.dropFirst())")]
  }
}

extension UnaryOperator: KernelProvider {}
extension AddOperator: KernelProvider {}
extension MultiplyOperator: KernelProvider {}
extension AverageOperator: KernelProvider {}
extension MaxOperator: KernelProvider {}
extension MinOperator: KernelProvider {}
extension BinaryFunctionOperator: KernelProvider {}
extension RoundOperator: KernelProvider {}
extension UnaryFunctionOperator: KernelProvider {}
extension ClipOperator: KernelProvider {}
extension ClampedReLUOperator: KernelProvider {}
extension GeluOperator: KernelProvider {}
extension ActivationOperator: KernelProvider {}
extension ChannelActivationOperator: KernelProvider {}

extension FormulaOperator: KernelProvider {
  public var kernels: [KernelCandidate] { [program.candidate("native pointwise")] }
}

extension PointwiseChain: KernelProvider {
  public var kernels: [KernelCandidate] { [program.candidate("native pointwise")] }
}
