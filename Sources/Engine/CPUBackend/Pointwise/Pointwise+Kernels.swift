import Backends
import Operators

extension PointwiseOperator {
  /// The program of the operator, in one pass over memory.
  public var kernels: [KernelCandidate] { [programCandidate] }

  // As fields of a NeuralNetwork are written: “native addBroadcastable”.
  fileprivate var programCandidate: KernelCandidate {
    program.candidate("native \(name.prefix(1).lowercased())\(name.dropFirst())")
  }
}

extension FoldingOperator {
  /// The program, or for whole numbers their function.
  public var kernels: [KernelCandidate] {
    isPlain && inputCount > 1
      ? [programCandidate, Self.function.candidate()] : [programCandidate]
  }
}

extension BinaryFunctionOperator: KernelProvider {
  /// The program, or for whole numbers their function.
  public var kernels: [KernelCandidate] {
    guard function.native(overflow) != nil else { return [programCandidate] }
    guard let number else { return [programCandidate, function.candidate(overflow: overflow)] }
    guard let whole = number.wholeNumber else { return [programCandidate] }
    return [programCandidate, function.candidate(number: whole, overflow: overflow)]
  }
}

extension UnaryFunctionOperator: KernelProvider {
  /// The program, or for whole numbers their function.
  public var kernels: [KernelCandidate] {
    function == .logicalNot
      ? [programCandidate, BinaryFunction.isEqual.candidate(number: 0)] : [programCandidate]
  }
}

extension UnaryOperator: KernelProvider {
  /// The program, or for whole numbers their function.
  public var kernels: [KernelCandidate] {
    guard whole != nil, case .threshold(let least) = function, let number = least.wholeNumber
    else { return [programCandidate] }
    return [programCandidate, BinaryFunction.maximum.candidate(number: number)]
  }
}

extension AddOperator: KernelProvider {}
extension MultiplyOperator: KernelProvider {}
extension MaxOperator: KernelProvider {}
extension MinOperator: KernelProvider {}
extension RoundOperator: KernelProvider {}
extension AverageOperator: KernelProvider {}
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
