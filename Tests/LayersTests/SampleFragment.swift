import Engine
import OperatorSamples
import Operators

/// A sample as a part of a larger graph: an operator in one element type, with a description of how to fill the
/// operator's inputs.
struct SampleFragment: Sendable {
  /// One operand.
  struct Input: Sendable {
    var type: TensorType
    var fill: OperatorSample.Fill
    /// Whether the operator moves or computes with the values of this input. False for indices, shapes and counts.
    var isData: Bool
    /// The values, if the model stores them as a constant.
    var constant: ReferenceTensor?
  }

  let operation: any Operator
  let inputs: [Input]
  let outputCount: Int
  let tolerance: OperatorSample.Tolerance
  let name: String

  /// Whether small changes of the inputs always cause only small changes of the outputs.
  var isContinuous: Bool {
    switch operation {
    case is any SteppingOperator: return false
    case let unary as UnaryFunctionOperator:
      return ![.sign, .round, .ceiling, .floor, .logicalNot].contains(unary.function)
    case let binary as BinaryFunctionOperator:
      return [.add, .subtract, .multiply, .maximum, .minimum].contains(binary.function)
    case let reducing as ReduceOperator: return !reducing.mode.givesIndex
    case let reducing as ReduceAxesOperator: return !reducing.mode.givesIndex
    case let activation as ActivationOperator:
      if case .thresholdedReLU = activation.function { return false }
      return true
    case is Convolution3DOperator, is Pooling3DOperator, is GlobalPooling3DOperator,
      is SimpleRecurrentOperator, is GRUOperator, is UniDirectionalLSTMOperator,
      is BiDirectionalLSTMOperator, is DotOperator, is ResizeOperator, is ResampleOperator,
      is BatchNormGradientOperator, is ConvolutionWeightsGradientOperator,
      is GramMatrixGradientOperator, is SquaredErrorGradientOperator:
      return true
    default: return operation is any DifferentiableOperator
    }
  }

  /// Returns whether an operand must not be rounded. There are three cases: the operand holds indices or counts, the
  /// outputs do not depend on it continuously, or it is a variable without uniform values.
  func isFixed(_ index: Int) -> Bool {
    guard inputs[index].isData, isContinuous else { return true }
    if case .uniform = inputs[index].fill { return false }
    return inputs[index].constant == nil
  }

  /// Creates the fragment of a sample in an element type, with a separate type for indices. Nil if the operator does
  /// not support these types.
  init?(_ test: LayerCase, _ element: ElementType, indexElement: ElementType) {
    guard let decoded = try? test.decoded() else { return nil }
    operation = decoded.operation
    outputCount = test.sample.layer.output.count
    // Kernels of random operators scale the random values in float32, so their results may differ slightly.
    tolerance = test.type.isDeterministic ? test.sample.tolerance : .accumulation
    name = "\(test.testDescription), \(element)"
    var inputs: [Input] = []
    func add(_ shape: Shape, _ fill: OperatorSample.Fill, _ constant: ReferenceTensor?) -> Bool {
      let isData: Bool = TypedCase.isData(inputs.count, of: decoded.operation)
      let type: ElementType = isData ? element : indexElement
      guard decoded.operation.takes(type, at: inputs.count) else { return false }
      inputs.append(
        Input(
          type: TensorType(shape, type), fill: fill, isData: isData,
          constant: constant?.converted(to: type)))
      return true
    }
    for input in test.sample.inputs {
      guard add(input.shape, input.fill, nil) else { return nil }
    }
    for constant in decoded.constants {
      guard let tensor = try? constant.value.tensor(),
        add(tensor.shape, .values(tensor.reals), tensor)
      else { return nil }
    }
    if element != .float32, !inputs.isEmpty, !inputs.contains(where: \.isData) { return nil }
    self.inputs = inputs
  }

  /// Generates values for an input.
  func values(of input: Input, _ generator: inout SplitMix64) -> ReferenceTensor {
    if let constant = input.constant { return constant }
    let values: [Double] = (0..<input.type.shape.count).map { index in
      switch input.fill {
      case .uniform(let range):
        let value = generator.uniform(range)
        return input.type.element.isInteger
          ? (value * 4).rounded() : Double(BFloat16.nearest(to: value))
      case .integers(let range): return Double(Int.random(in: range, using: &generator))
      case .values(let list): return list[index]
      }
    }
    return ReferenceTensor(input.type.shape, values, .float64).converted(to: input.type.element)
  }
}

extension SampleFragment {
  /// The samples of one operator in one element type.
  struct Group: Sendable {
    let name: String
    let fragments: [SampleFragment]
  }

  /// How many elements the inputs of a sample may have together, so that the graph stays fast. If every sample of an
  /// operator has more, only the smallest sample is used.
  private static let mostElements = 1500

  /// Every operator in the catalogue in every type that it declares, except the operators that ``SampleGraph`` creates
  /// itself.
  static let groups: [Group] = OperatorCatalog.tested.flatMap { type -> [Group] in
    if type is any ControlOperator.Type || type == CustomLayer.self { return [] }
    let samples: [LayerCase] = LayerCase.good.filter { $0.type == type }
    return type.elementTypes.sorted.map { element in
      let all: [SampleFragment] = samples.flatMap { test -> [SampleFragment] in
        let integer = SampleFragment(test, element, indexElement: .int32)
        guard let float = SampleFragment(test, element, indexElement: .float32) else {
          return integer.map { [$0] } ?? []
        }
        guard let integer, float.inputs.contains(where: { !$0.isData }) else { return [float] }
        return [float, integer]
      }
      let sized: [(fragment: SampleFragment, count: Int)] = all.map { fragment in
        (fragment, fragment.inputs.reduce(0) { $0 + $1.type.shape.count })
      }
      let small = sized.filter { $0.count <= mostElements }.map(\.fragment)
      let least = sized.min { $0.count < $1.count }.map { [$0.fragment] } ?? []
      return Group(
        name: "\(type.declaration.name), \(element)", fragments: small.isEmpty ? least : small)
    }
  }
}

extension ReductionMode {
  fileprivate var givesIndex: Bool { self == .indexOfMaximum || self == .indexOfMinimum }
}
