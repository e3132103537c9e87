import Backends
import Graph
import ModelFormat

/// Makes a vector of numbers in equal steps between bounds that are computed.
///
/// - Inputs: the end; or the end and the start; or the end, the start and the step. Each is one number.
///   What is not an input is a parameter.
/// - Output: a vector of ⌈(end − start) / step⌉ numbers; the step may be negative.
///
/// **Source:** `RangeDynamicLayerParams`.
public struct RangeDynamicOperator: Layer {
  public static let declaration = OperatorDeclaration(
    "RangeDynamic", specification: "rangeDynamic",
    summary: "makes numbers in equal steps between computed bounds")

  /// The first number, unless the second input gives it.
  public let start: Float
  /// From one number to the next, unless the third input gives it.
  public let step: Float

  /// Numbers from the start to before the first input.
  public init(start: Float, step: Float) {
    self.start = start
    self.step = step
  }

  public init(decoding decoder: LayerDecoder) throws {
    guard case .rangeDynamic(let message)? = decoder.message.layer else {
      throw decoder.notA("rangeDynamic")
    }
    try decoder.requireInputs(1...3)
    self.init(start: message.startValue, step: message.stepSizeValue)
  }

  private func range(_ inputs: [ReferenceTensor]) throws -> ArithmeticRange {
    let numbers: [Float] = try inputs.enumerated().map { position, input -> Float in
      guard input.values.count == 1 else {
        throw EngineError(
          .invalidInput, "input \(position + 1) is \(input.shape), expected one number.")
      }
      return Float(input.values[0])
    }
    return try ArithmeticRange(
      start: numbers.count > 1 ? numbers[1] : start, end: numbers[0],
      step: numbers.count > 2 ? numbers[2] : step)
  }

  public func outputTypes(for inputs: [OperatorInput]) throws -> [TensorType]? {
    let known: [ReferenceTensor] = inputs.compactMap(\.value)
    guard known.count == inputs.count else { return nil }
    return [try range(known).type]
  }

  public func reference(_ inputs: [ReferenceTensor]) throws -> [ReferenceTensor] {
    [try range(inputs).values]
  }

  public var kernels: [KernelCandidate] {
    [
      KernelCandidate("native range") { request in
        let inputs: [TensorDescriptor] = request.inputs.map { TensorDescriptor($0.shape) }
        let output = TensorDescriptor(request.outputs[0].shape)
        guard inputs.allSatisfy({ $0.shape.count == 1 }) else { return nil }
        let (given, count) = (inputs.count, output.shape.count)
        let step = ClosureStep { memory in
          // Safe: the planner gives memory of these forms.
          func number(_ input: Int, _ missing: Float) -> Double {
            guard input < given else { return Double(missing) }
            return Double(memory.inputs[input].assumingMemoryBound(to: Float.self)[0])
          }
          let (first, distance) = (number(1, start), number(2, self.step))
          let target = memory.outputs[0].assumingMemoryBound(to: Float.self)
          for position in 0..<count {
            target[position] = Float(first + Double(position) * distance)
          }
        }
        return Kernel(step, inputs: inputs, outputs: [output])
      }
    ]
  }
}
