@_exported import Graph
/// The floating-point type that a plan may compute in.
public enum Precision: Sendable, Hashable {
  /// `float32` everywhere.
  case float32
  /// Values are stored in `float32`. Kernels on matrix tiles may multiply each as a pair of `bfloat16` values whose sum
  /// it nearly is, and sum the products in `float32`. The error of a product is at most about 2⁻¹⁶ of it.
  case bfloat16Pairs
  /// Kernels may store and multiply values in `bfloat16`, and sum the products in `float32`. Kernels that do not
  /// support this use `float32` everywhere.
  case bfloat16

  /// The fastest precision that does not round values to `bfloat16`, if this one is allowed.
  public var withoutRounding: Precision { self == .bfloat16 ? .bfloat16Pairs : self }
}

/// Everything that a kernel candidate may use to decide whether it can compute an operator.
public struct KernelRequest: Sendable {
  /// The layer's name, for messages and listings.
  public let name: String
  /// The form of each input in memory: shape, stored element type and layout. If a kernel needs another form, the
  /// planner inserts a reorder before the kernel: a step that copies the input into that form. The reorder takes time.
  public let inputs: [TensorDescriptor]
  /// The types of the inputs whose memory holds `float32` values in a narrower type: `uint8` for integers in 0…255, or
  /// `float16`. The element type of such an input is nevertheless `float32` in ``inputs``. A kernel that reads the narrow
  /// type itself states it in ``Kernel/inputs``. For other kernels the planner converts the input to `float32`.
  public let narrowInputs: [Int: ElementType]
  /// A narrower type that holds every element of the first output exactly; nil if none is known.
  public let narrowOutput: ElementType?
  /// The value of each constant input; nil for other inputs. The array is empty if no input is constant. A kernel that
  /// has packed a constant reads the packed weights instead of the input when it runs.
  public let constants: [Constant?]
  /// The types of the outputs, from shape inference.
  public let outputs: [TensorType]
  /// The floating-point type that kernels may compute in.
  public let precision: Precision
  /// Whether kernels may change results by at most one per cent if that is faster.
  public let isTolerant: Bool
  /// Whether products of rows with constant matrices quantise the rows to int8.
  public let usesDynamicQuantization: Bool
  /// The features of the processor.
  public let processor: Processor
  /// The number of threads that will run the kernel.
  public let threads: Int
  /// The store of the network's packed weights, from which a kernel requests the packed weights that it reads.
  public let weights: PackedWeights

  /// Creates a request.
  public init(
    name: String, inputs: [TensorDescriptor], narrowInputs: [Int: ElementType] = [:],
    narrowOutput: ElementType? = nil, constants: [Constant?] = [],
    outputs: [TensorType], precision: Precision,
    isTolerant: Bool = false, usesDynamicQuantization: Bool = false,
    processor: Processor = .current, threads: Int, weights: PackedWeights = PackedWeights()
  ) {
    self.name = name
    self.inputs = inputs
    self.narrowInputs = narrowInputs
    self.narrowOutput = narrowOutput
    self.constants = constants
    self.outputs = outputs
    self.precision = precision
    self.isTolerant = isTolerant
    self.usesDynamicQuantization = usesDynamicQuantization
    self.processor = processor
    self.threads = threads
    self.weights = weights
  }

  /// Returns the same request for an operator that has only the inputs before `input`.
  public func withoutInputs(from input: Int) -> KernelRequest {
    KernelRequest(
      name: name, inputs: Array(inputs[..<input]),
      narrowInputs: narrowInputs.filter { $0.key < input }, narrowOutput: narrowOutput,
      constants: Array(constants.prefix(input)), outputs: outputs, precision: precision,
      isTolerant: isTolerant, usesDynamicQuantization: usesDynamicQuantization,
      processor: processor, threads: threads, weights: weights)
  }

  /// Returns whether the memory of an input holds bytes.
  public func isHeldInBytes(_ input: Int) -> Bool { narrowInputs[input] == .uint8 }

  /// Returns the values of an input if it is constant; else nil.
  public func constant(_ input: Int) -> Constant? {
    constants.indices.contains(input) ? constants[input] : nil
  }
}

/// An algorithm for an operator. The planner tries an operator's candidates in order and uses the first that fits. For
/// a ``TunedOperator`` it uses the fastest that fits.
public struct KernelCandidate: Sendable {
  /// The name in listings, for example `oneDNN convolution` or `native instance norm`.
  public let name: String
  /// The element types that the inputs and outputs may have in the graph. The candidate receives no requests with other
  /// types.
  public let elements: ElementTypes
  /// Whether the planner uses the candidate wherever it fits, without timing it. Set if the candidate has an advantage
  /// that times do not show, such as less memory.
  public let skipsTiming: Bool
  /// Makes the kernel for a request. Returns nil if the candidate does not support the shapes, the types or the
  /// processor of the request.
  public let make: @Sendable (KernelRequest) throws -> Kernel?

  /// Creates a candidate.
  public init(
    _ name: String, elements: ElementTypes = [.float32], skipsTiming: Bool = false,
    make: @escaping @Sendable (KernelRequest) throws -> Kernel?
  ) {
    self.name = name
    self.elements = elements
    self.skipsTiming = skipsTiming
    self.make = make
  }
}

extension KernelCandidate {
  /// Returns whether the candidate supports these element types of the graph.
  public func takes(_ types: some Sequence<ElementType>) -> Bool {
    types.allSatisfy(elements.contains)
  }
}

/// A kernel for concrete shapes: the step that runs it, and the forms of its inputs and outputs.
public struct Kernel: Sendable {
  /// The step that computes the outputs.
  public var step: Step
  /// The forms in which the kernel reads its inputs. The planner inserts reorders if producers use other forms. Nil for
  /// a constant that the kernel has packed, because such an input has no memory at run time.
  public var inputs: [TensorDescriptor?]
  /// The forms in which the kernel writes its outputs.
  public var outputs: [TensorDescriptor]
  /// The packed weights that the step reads.
  public var weights: [PackedWeight]
  /// The size of the kernel's scratch memory, in bytes.
  public var scratchByteCount: Int
  /// The index of an input whose memory the first output may take over; nil for none. The output takes the memory over
  /// only if no later node reads the input and both tensors have the same size in bytes. Unless ``readsElementwise`` is
  /// set, no other input of the call may be in that memory.
  public var inPlaceInput: Int?
  /// Whether the kernel works index by index: before it writes the first output's element at an index, it reads the
  /// elements of all inputs at this index, and it does not read them again later. If so, several inputs of the same
  /// form may be in the memory that the output takes over, as in `x · x`. False for convolutions, norms and kernels
  /// that read neighbouring elements.
  public var readsElementwise: Bool
  /// The index of an input whose memory the step overwrites; nil for none. The planner copies the input first if a
  /// later node reads it or if the memory does not belong to the plan.
  public var overwrittenInput: Int?
  /// The index of an input that shares its memory with the first output, as in a reshape or flatten; nil for none. The
  /// step does not run.
  public var aliasedInput: Int?

  /// Creates a kernel.
  public init(
    _ step: Step, inputs: [TensorDescriptor?], outputs: [TensorDescriptor],
    weights: [PackedWeight] = [], scratchByteCount: Int = 0, inPlaceInput: Int? = nil,
    readsElementwise: Bool = false, overwrittenInput: Int? = nil, aliasedInput: Int? = nil
  ) {
    self.step = step
    self.inputs = inputs
    self.outputs = outputs
    self.weights = weights
    self.scratchByteCount = scratchByteCount
    self.inPlaceInput = inPlaceInput
    self.readsElementwise = readsElementwise
    self.overwrittenInput = overwrittenInput
    self.aliasedInput = aliasedInput
  }
}

/// The code of one call in a plan. Subclasses hold packed weights and sizes. Steps are immutable, so that many sessions
/// can run the same step concurrently.
///
/// `@unchecked Sendable`: the properties of subclasses are constants. A call changes only its session's memory and the
/// object from ``makeState()``. The object must not store an address from a ``StepMemory``, because the next run may
/// use other memory.
open class Step: @unchecked Sendable {
  /// Creates a step, for subclasses.
  public init() {}

  /// Text that listings append to the kernel's name, for example the implementation that a library chose.
  open var detail: String { "" }

  /// The size of the step's own packed weights, in bytes.
  open var constantByteCount: Int { 0 }

  /// The size, in bytes, of the memory that a call itself allocates and frees, without its scratch memory; saturates at
  /// `Int.max`. For a plan, the memory budget counts only the largest such size of all calls, because the calls run one
  /// after the other.
  open var temporaryByteCount: Int { 0 }

  /// Whether the threads of the team synchronise many times in one call, for example after each step of a sequence. If
  /// so, a session may run the call on one thread, which may be faster while other programs need the processors. So the
  /// outputs must not depend on the number of threads.
  open var synchronizesOften: Bool { false }

  /// Makes the state that one session needs besides memory, such as a library's handles. Each session calls this method
  /// once.
  open func makeState() throws -> AnyObject? { nil }

  /// Computes the outputs.
  open func run(_ memory: StepMemory) throws {
    preconditionFailure("a step must override run(_:)")
  }
}

/// The memory of one call: one pointer per input and output, valid during the call. Memory that belongs to a caller or
/// to another segment of the graph (a part that is planned separately) may have another address in the next call. The
/// pointer of an input that the kernel has packed is not valid.
public struct StepMemory {
  /// One pointer per input, in the operator's order.
  public let inputs: UnsafePointer<UnsafeMutableRawPointer>
  /// One pointer per output.
  public let outputs: UnsafePointer<UnsafeMutableRawPointer>
  /// Scratch memory of ``Kernel/scratchByteCount`` bytes, aligned to 64 bytes.
  public let scratch: UnsafeMutableRawPointer
  /// The object from ``Step/makeState()``.
  public let state: AnyObject?

  /// Creates a description of memory that the session owns.
  public init(
    inputs: UnsafePointer<UnsafeMutableRawPointer>,
    outputs: UnsafePointer<UnsafeMutableRawPointer>, scratch: UnsafeMutableRawPointer,
    state: AnyObject?
  ) {
    self.inputs = inputs
    self.outputs = outputs
    self.scratch = scratch
    self.state = state
  }
}

/// A step that calls a closure, for kernels whose only state is sizes.
public final class ClosureStep: Step, @unchecked Sendable {
  private let body: @Sendable (StepMemory) throws -> Void

  /// Creates a step that calls a closure. The closure must capture only constants.
  public init(_ body: @escaping @Sendable (StepMemory) throws -> Void) { self.body = body }

  public override func run(_ memory: StepMemory) throws { try body(memory) }
}
