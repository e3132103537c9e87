import Engine
import OperatorSamples
import Operators

/// A sample as a part of larger graphs: an operator in one element type, and how its inputs are filled.
struct SampleFragment: Sendable {
  /// One operand.
  struct Input: Sendable {
    var type: TensorType
    var fill: OperatorSample.Fill
    /// Whether it is moved or computed with, and does not say where or how many.
    var isData: Bool
    /// The values, where the model holds them.
    var constant: ReferenceTensor?
  }

  let operation: any Operator
  let inputs: [Input]
  let outputCount: Int
  let tolerance: OperatorSample.Tolerance
  let name: String

  /// Whether small changes of an input make small changes of the outputs.
  var isContinuous: Bool {
    switch operation {
    case is any SteppingOperator: return false
    case let unary as UnaryFunctionOperator:
      return ![.sign, .round, .ceiling, .floor, .logicalNot].contains(unary.function)
    case let binary as BinaryFunctionOperator:
      return [.add, .subtract, .multiply, .maximum, .minimum].contains(binary.function)
    case let reducing as ReduceOperator: return !reducing.mode.givesPlace
    case let reducing as ReduceAxesOperator: return !reducing.mode.givesPlace
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

  /// Whether rounding changes nothing of an operand that the outputs would follow smoothly.
  func isFixed(_ index: Int) -> Bool {
    guard inputs[index].isData, isContinuous else { return true }
    if case .uniform = inputs[index].fill { return false }
    return inputs[index].constant == nil
  }

  /// A sample in an element type, with places of another; nil where the operator does not take it.
  init?(_ test: LayerCase, _ element: ElementType, places: ElementType) {
    guard let decoded = try? test.decoded() else { return nil }
    operation = decoded.operation
    outputCount = test.sample.layer.output.count
    // Random numbers are scaled in float32.
    tolerance = test.type.isDeterministic ? test.sample.tolerance : .accumulation
    name = "\(test.testDescription), \(element)"
    var inputs: [Input] = []
    func add(_ shape: Shape, _ fill: OperatorSample.Fill, _ constant: ReferenceTensor?) -> Bool {
      let isData: Bool = TypedCase.isData(inputs.count, of: decoded.operation)
      let type: ElementType = isData ? element : places
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

  /// The values that an input is filled with.
  func values(of input: Input, _ generator: inout SampleGenerator) -> ReferenceTensor {
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

  /// More elements than this make a graph slow; of operators whose samples are all larger the smallest
  /// one stands.
  private static let mostElements = 1500

  /// Every operator of the catalogue in every type that it declares, but for those that
  /// ``SampleGraph`` makes itself.
  static let groups: [Group] = OperatorCatalog.standard.layers.flatMap { type -> [Group] in
    if type is any ControlOperator.Type || type == CustomLayer.self { return [] }
    let samples: [LayerCase] = LayerCase.good.filter { $0.type == type }
    return type.elementTypes.sorted.map { element in
      let all: [SampleFragment] = samples.flatMap { test -> [SampleFragment] in
        let whole = SampleFragment(test, element, places: .int32)
        guard let float = SampleFragment(test, element, places: .float32) else {
          return whole.map { [$0] } ?? []
        }
        guard let whole, float.inputs.contains(where: { !$0.isData }) else { return [float] }
        return [float, whole]
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
  fileprivate var givesPlace: Bool { self == .positionOfMaximum || self == .positionOfMinimum }
}
