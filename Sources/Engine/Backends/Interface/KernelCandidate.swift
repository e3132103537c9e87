@_exported import Graph
/// The numbers that a plan may compute with.
public enum Precision: Sendable, Hashable {
  /// `float32` everywhere.
  case float32
  /// `bfloat16` storage and products with `float32` sums where a kernel has them.
  case bfloat16
}

/// What a kernel may know when it is asked whether it fits.
public struct KernelRequest: Sendable {
  /// The layer's name, for messages and listings.
  public let name: String
  /// How the producers keep the inputs; a kernel may ask for another form, at the price of a reorder.
  public let inputs: [TensorDescriptor]
  /// The inputs that are offered as `float32` and lie in memory as bytes, whole numbers of 0 to 255: a kernel that
  /// reads such asks for `uint8`, for the others they are widened.
  public let bytes: Set<Int>
  /// The values of inputs that are constants, nil for the others; empty where none is. A kernel that packs
  /// one reads no memory for it at run time.
  public let constants: [Constant?]
  /// What the shape rule promises of the outputs.
  public let outputs: [TensorType]
  /// The numbers that may be used.
  public let precision: Precision
  /// Whether roundings of up to a percent do no harm.
  public let isTolerant: Bool
  /// What the processor can do.
  public let processor: Processor
  /// The number of threads that will run the kernel.
  public let threads: Int
  /// Where the network keeps its packed weights.
  public let weights: PackedWeights

  /// A request.
  public init(
    name: String, inputs: [TensorDescriptor], bytes: Set<Int> = [], constants: [Constant?] = [],
    outputs: [TensorType], precision: Precision,
    isTolerant: Bool = false, processor: Processor = .current, threads: Int,
    weights: PackedWeights = PackedWeights()
  ) {
    self.name = name
    self.inputs = inputs
    self.bytes = bytes
    self.constants = constants
    self.outputs = outputs
    self.precision = precision
    self.isTolerant = isTolerant
    self.processor = processor
    self.threads = threads
    self.weights = weights
  }

  /// The same for an operator that has no inputs from this one on.
  public func withoutInputs(from input: Int) -> KernelRequest {
    KernelRequest(
      name: name, inputs: Array(inputs[..<input]), bytes: bytes.filter { $0 < input },
      constants: Array(constants.prefix(input)), outputs: outputs, precision: precision,
      isTolerant: isTolerant, processor: processor, threads: threads, weights: weights)
  }

  /// The values of an input, where it is a constant.
  public func constant(_ input: Int) -> Constant? {
    constants.indices.contains(input) ? constants[input] : nil
  }
}

/// A way to compute a layer. Candidates are tried in order; the first that fits is taken.
public struct KernelCandidate: Sendable {
  /// What listings print: `oneDNN convolution`, `native instance norm`.
  public let name: String
  /// The element types, as the graph states them, of inputs and outputs that it computes with; a request
  /// with others is not put to it.
  public let elements: ElementTypes
  /// Whether it is taken wherever it fits, for reasons that times do not show, such as memory.
  public let isSettled: Bool
  /// Builds the kernel for a request, or returns nil when it does not fit these shapes, types or
  /// this processor.
  public let make: @Sendable (KernelRequest) throws -> Kernel?

  /// A candidate.
  public init(
    _ name: String, elements: ElementTypes = [.float32], isSettled: Bool = false,
    make: @escaping @Sendable (KernelRequest) throws -> Kernel?
  ) {
    self.name = name
    self.elements = elements
    self.isSettled = isSettled
    self.make = make
  }
}

extension KernelCandidate {
  /// Whether it computes with these element types, as the graph states them; else it is not asked.
  public func takes(_ types: some Sequence<ElementType>) -> Bool {
    types.allSatisfy(elements.contains)
  }
}

/// A kernel built for concrete shapes: the step that runs it and the forms that it wants.
public struct Kernel: Sendable {
  /// What runs.
  public var step: Step
  /// The forms in which it reads its inputs; the planner reorders where producers differ. Nil for constants
  /// that it has packed: no memory stands for them at run time.
  public var inputs: [TensorDescriptor?]
  /// The forms in which it writes its outputs.
  public var outputs: [TensorDescriptor]
  /// The packed weights that the step reads.
  public var weights: [PackedWeight]
  /// Memory for this call alone, in bytes.
  public var scratchByteCount: Int
  /// An input whose memory the first output may take over, if nobody reads it later, both have the
  /// same size in bytes, and no other input of the call lies in it (but see ``readsElementwise``).
  public var inPlaceInput: Int?
  /// Whether every element of the first output is written after the elements at the same place of all
  /// inputs have been read, and none of them is read again: then inputs of the same form may all lie
  /// in the memory that is taken over, as in `x · x`. A convolution, a norm or a kernel that looks at
  /// neighbours does not promise that.
  public var readsElementwise: Bool
  /// An input whose memory the step writes into: the planner gives it a copy where somebody reads the input later, or
  /// where the memory is not the plan's own.
  public var overwrittenInput: Int?
  /// An input whose memory *is* that of the first output (reshape, flatten): nothing runs.
  public var aliasedInput: Int?

  /// A kernel.
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

/// One call in a plan. Subclasses hold packed weights and sizes; they are immutable once made, so
/// that many sessions can run one step at a time each.
///
/// `@unchecked Sendable`: a subclass has only constants; whatever a call changes lives in its
/// session's memory or in the object that ``makeState()`` returns. That object keeps no address of a
/// ``StepMemory``: the next run may lie elsewhere.
open class Step: @unchecked Sendable {
  /// For subclasses.
  public init() {}

  /// What listings add to the kernel's name: the variant that a library chose.
  open var detail: String { "" }

  /// Memory that the step owns for packed weights, in bytes.
  open var constantByteCount: Int { 0 }

  /// Memory that a call takes from the system and gives back, beside its scratch memory, in bytes; saturates.
  /// The budget counts the largest of a plan.
  open var temporaryByteCount: Int { 0 }

  /// Whether the threads of the team meet many times in one call, as for each step of a sequence: where other
  /// programs want the processors, such a call may be faster on one thread. Its outputs must not depend on the
  /// number of threads.
  open var meetsOften: Bool { false }

  /// What one session needs for itself beyond memory, such as a library's handles; made once a
  /// session.
  open func makeState() throws -> AnyObject? { nil }

  /// Computes.
  open func run(_ memory: StepMemory) throws {
    preconditionFailure("a step must override run(_:)")
  }
}

/// The memory of one call: one pointer per input and output, valid during the call. What a caller or
/// another segment of the plan owns may lie elsewhere in the next call. The pointer of an input that the kernel has
/// packed points to nothing of use.
public struct StepMemory {
  /// One pointer an input, in the layer's order.
  public let inputs: UnsafePointer<UnsafeMutableRawPointer>
  /// One pointer an output.
  public let outputs: UnsafePointer<UnsafeMutableRawPointer>
  /// As many bytes as the kernel asked for, aligned to 64.
  public let scratch: UnsafeMutableRawPointer
  /// What ``Step/makeState()`` returned.
  public let state: AnyObject?

  /// A view over memory that the session owns.
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

/// A step that calls a closure: for kernels that need nothing but their sizes.
public final class ClosureStep: Step, @unchecked Sendable {
  private let body: @Sendable (StepMemory) throws -> Void

  /// A step over a closure that captures constants only.
  public init(_ body: @escaping @Sendable (StepMemory) throws -> Void) { self.body = body }

  public override func run(_ memory: StepMemory) throws { try body(memory) }
}
