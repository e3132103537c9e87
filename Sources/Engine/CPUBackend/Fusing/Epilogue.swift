import CKernels
import COneDNN
import Graph
import Operators

/// A step that a fused operator applies to its result while the result is in the processor's cache.
public enum Epilogue: Sendable, Hashable {
  /// Adds an image. The part that is added has the size of the result and starts at this row and column of the image.
  /// Reads one input: the image.
  case residual(CropOperator.Offset)
  /// An activation function.
  case activation(ActivationFunction)
  /// `min(max(x, 0), ceiling)`: a ReLU with an upper bound, for example 6 for ReLU6.
  case clip(ceiling: Float)
  /// The Gaussian error linear unit.
  case gelu(GeluOperator.Mode)
  /// `x · sigmoid(x)`
  case swish
  /// A hard swish.
  case hardSwish(HardSwish)
  /// Multiplies each channel by a factor and adds a shift. Reads two inputs: the factors and the shifts, with one
  /// number per channel.
  case factors
  /// Rounds each element to the nearest float16, as ``RoundOperator`` does.
  case rounding

  /// The number of inputs that the step reads.
  var inputCount: Int {
    switch self {
    case .residual: 1
    case .factors: 2
    case .activation, .clip, .gelu, .swish, .hardSwish, .rounding: 0
    }
  }

  /// Whether the step makes float16 values of all float16 values, so that no rounding needs to follow it.
  var keepsFloat16: Bool {
    switch self {
    case .activation(.reLU), .rounding: true
    case .clip(let ceiling): ElementType.float16.rounded(Double(ceiling)) == Double(ceiling)
    case .activation, .residual, .gelu, .swish, .hardSwish, .factors: false
    }
  }

  /// Creates the step with the same function as an operator of one input. Nil if no step has this function.
  init?(function operation: any Operator) {
    switch operation {
    case let layer as ActivationOperator where layer.function.isProductEpilogue:
      self = .activation(layer.function)
    case let clip as ClipOperator
    where clip.minimum == 0 && clip.maximum > 0 && clip.maximum.isFinite:
      self = .clip(ceiling: clip.maximum)
    case let gelu as GeluOperator: self = .gelu(gelu.mode)
    case let formula as FormulaOperator where formula.formula == .swish: self = .swish
    case let hardSwish as HardSwish: self = .hardSwish(hardSwish)
    case let rounding as RoundOperator where rounding.element == .float16: self = .rounding
    default: return nil
    }
  }
}

extension Epilogue: CustomStringConvertible {
  /// The step in a few words, for example `residual at 0 0`.
  public var description: String {
    switch self {
    case .residual(let offset): "residual at \(offset.top) \(offset.left)"
    case .activation(let function): "\(function)"
    case .clip: "ceiling"
    case .gelu(let mode): "gelu \(mode)"
    case .swish: "swish"
    case .hardSwish(let function): "\(function)"
    case .factors: "factors"
    case .rounding: "rounding"
    }
  }
}

// MARK: The reference implementation

extension Epilogue {
  /// Applies the step in `Double`.
  fileprivate func reference(_ tensor: ReferenceTensor, _ inputs: ArraySlice<ReferenceTensor>)
    throws -> ReferenceTensor
  {
    var result = tensor
    switch self {
    case .residual(let offset):
      let image: ReferenceTensor = inputs[inputs.startIndex]
      result.shape.forEachIndex { index, position in
        result.values[position] += image[offset.sourceIndex(of: index)]
      }
    case .factors:
      let map = try FeatureMap(result.shape)
      let (factors, shifts) = (
        inputs[inputs.startIndex].values, inputs[inputs.startIndex + 1].values
      )
      for position in result.values.indices {
        let channel: Int = position / map.area % map.channels
        result.values[position] = result.values[position] * factors[channel] + shifts[channel]
      }
    case .activation(let function): result = function.reference(result)
    case .clip(let ceiling):
      let relu: ReferenceTensor = ActivationFunction.reLU.reference(result)
      result.values = relu.values.map { $0 > Double(ceiling) ? Double(ceiling) : $0 }
    case .gelu(let mode): result.values = result.values.map { GeluOperator(mode).evaluate([$0]) }
    case .swish: result.values = result.values.map { Formula.swish([$0]) }
    case .hardSwish(let function): result.values = result.values.map { function.evaluate([$0]) }
    case .rounding: result.values = result.values.map { ElementType.float16.rounded($0) }
    }
    return result
  }
}

extension [Epilogue] {
  /// Whether the steps begin with a rounding, and every other step keeps float16 or has a rounding after it. So no
  /// value lies between two float16 values.
  var roundsEachStep: Bool {
    guard first == .rounding else { return false }
    return indices.dropFirst().allSatisfy {
      self[$0].keepsFloat16 || $0 + 1 < count && self[$0 + 1] == .rounding
    }
  }

  /// The number of inputs that all steps together read.
  var inputCount: Int { reduce(0) { $0 + $1.inputCount } }

  /// Applies all steps in `Double`. `inputs` holds the inputs of the steps, in the order of the steps.
  func reference(_ tensor: ReferenceTensor, _ inputs: ArraySlice<ReferenceTensor>) throws
    -> ReferenceTensor
  {
    var (result, rest) = (tensor, inputs)
    for step in self {
      result = try step.reference(result, rest.prefix(step.inputCount))
      rest = rest.dropFirst(step.inputCount)
    }
    return result
  }

  /// Throws unless the inputs of the steps fit a result of the shape `result`.
  func require(_ inputs: ArraySlice<OperatorInput>, fit result: Shape) throws {
    var rest: ArraySlice<OperatorInput> = inputs
    for step in self {
      let own: ArraySlice<OperatorInput> = rest.prefix(step.inputCount)
      if case .residual(let offset) = step, let image = own.first {
        try offset.require(image.shape, covers: result)
      } else if let other = own.first(where: { $0.shape.count != result[-3] }) {
        throw EngineError(
          .invalidInput,
          "the factors or shifts are \(other.shape), expected \(result[-3]) numbers, one per channel."
        )
      }
      rest = rest.dropFirst(step.inputCount)
    }
  }
}

// MARK: The kernels

extension Epilogue {
  /// The function for the epilogues of CKernels. Nil if CKernels has no such function.
  var uniformFunction: (function: ck_function, alpha: Float, beta: Float)? {
    switch self {
    case .activation(let function): function.uniformFunction
    case .clip(let ceiling): (CK_CLIP, 0, ceiling)
    case .gelu(.exact): (CK_GELU_ERF, 0, 0)
    case .gelu(.tanhApproximation): (CK_GELU_TANH, 0, 0)
    case .gelu(.sigmoidApproximation): (CK_SWISH, 1.702, 0)
    case .swish: (CK_SWISH, 1, 0)
    case .hardSwish(let function):
      (function.roundsGate ? CK_HARD_SWISH_F16 : CK_HARD_SWISH, function.alpha, function.beta)
    case .residual, .factors, .rounding: nil
    }
  }

  /// The function as oneDNN's post-operations. Nil if oneDNN has no such post-operations.
  var postOps: [adnn_post_op]? {
    switch self {
    case .activation(let function): function.postOps
    case .clip(let ceiling): [.init(ADNN_CLIP, 0, ceiling)]
    case .gelu(.exact): [.init(ADNN_GELU_ERF)]
    case .gelu(.tanhApproximation): [.init(ADNN_GELU_TANH)]
    case .gelu(.sigmoidApproximation): [.init(ADNN_SWISH, 1.702)]
    case .swish: [.init(ADNN_SWISH, 1)]
    case .hardSwish(let function): function == .standard ? [.init(ADNN_HARD_SWISH)] : nil
    case .residual, .factors, .rounding: nil
    }
  }

  /// The step as a program of the sum and, for a residual, the image. Nil for factors.
  var program: PointwiseProgram? {
    switch self {
    case .residual: BinaryFunctionOperator(.add).program
    case .activation(let function): ActivationOperator(function).program
    case .clip(let ceiling): ClipOperator(minimum: 0, maximum: ceiling).program
    case .gelu(let mode): GeluOperator(mode).program
    case .swish: FormulaOperator(.swish, inputCount: 1).program
    case .hardSwish(let function): function.program
    case .rounding: RoundOperator(to: .float16).program
    case .factors: nil
    }
  }
}

/// The steps of an epilogue in the order in which the kernels of images apply them: a residual, a function, factors.
/// Each step may be missing. Each of the sum, the residual and the function may have a rounding after it.
struct ImageEpilogue {
  /// The residual's offset, and its position among the operator's inputs.
  private(set) var residual: (offset: CropOperator.Offset, input: Int)?
  /// The function that is applied to the sum with the residual.
  private(set) var function: Epilogue?
  /// The position of the factors among the operator's inputs. The shifts are the next input.
  private(set) var factorsInput: Int?
  /// Whether kernels round after the sum, after the residual and after the function.
  private(set) var rounds = false

  /// Nil if the steps have another order, if a step occurs twice, or if only some results are rounded.
  ///
  /// - Parameter first: The position of the first step's first input among the operator's inputs.
  init?(_ steps: [Epilogue], inputsFrom first: Int) {
    var input: Int = first
    rounds = steps.contains(.rounding)
    guard !rounds || steps.roundsEachStep else { return nil }
    for step in steps {
      switch step {
      case .rounding: break
      case .residual(let offset):
        guard residual == nil, function == nil, factorsInput == nil else { return nil }
        residual = (offset, input)
      case .factors:
        guard factorsInput == nil, !rounds else { return nil }
        factorsInput = input
      case .activation, .clip, .gelu, .swish, .hardSwish:
        guard function == nil, factorsInput == nil else { return nil }
        function = step
      }
      input += step.inputCount
    }
  }

  /// The function for CKernels: the identity if there is none. Nil if CKernels does not have the function.
  var uniformFunction: (function: ck_function, alpha: Float, beta: Float)? {
    guard let function else { return (CK_IDENTITY, 0, 0) }
    return function.uniformFunction
  }
}
