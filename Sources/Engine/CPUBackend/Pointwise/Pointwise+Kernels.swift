import Backends
import Operators

extension PointwiseOperator {
  /// The candidate that runs the operator's program in one pass over memory.
  public var kernels: [KernelCandidate] { [programCandidate] }

  // The name is in lower camel case, as in the NeuralNetwork specification: “native addBroadcastable”.
  fileprivate var programCandidate: KernelCandidate {
    program.candidate("native \(name.prefix(1).lowercased())\(name.dropFirst())")
  }
}

extension FoldingOperator {
  /// The candidate that runs the program and, for integers, the candidate that runs the integer function.
  public var kernels: [KernelCandidate] {
    isPlain && inputCount > 1
      ? [programCandidate, Self.function.candidate()] : [programCandidate]
  }
}

extension BinaryFunctionOperator: KernelProvider {
  /// The candidate that runs the program and, for integers, the candidate that runs the integer function.
  public var kernels: [KernelCandidate] {
    guard function.native(overflow) != nil else { return [programCandidate] }
    guard let number else { return [programCandidate, function.candidate(overflow: overflow)] }
    guard let integer = number.integerValue else { return [programCandidate] }
    return [programCandidate, function.candidate(number: integer, overflow: overflow)]
  }
}

extension UnaryFunctionOperator: KernelProvider {
  /// The candidate that runs the program and, for integers, the candidate that runs the integer function.
  public var kernels: [KernelCandidate] {
    function == .logicalNot
      ? [programCandidate, BinaryFunction.isEqual.candidate(number: 0)] : [programCandidate]
  }
}

extension UnaryOperator: KernelProvider {
  /// The candidate that runs the program and, for integers, the candidate that runs the integer function.
  public var kernels: [KernelCandidate] {
    guard integer != nil, case .threshold(let least) = function, let number = least.integerValue
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
