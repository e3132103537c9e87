/// A network that does not depend on the machine. It consists of values, and of nodes that compute values from other
/// values.
///
/// At most one node writes each value. The nodes are in an order in which they can run.
public struct Graph: Sendable {
  /// The index of a value.
  public struct ValueID: Hashable, Sendable, Comparable {
    /// The position in ``Graph/values``.
    public let index: Int
    /// Creates an index.
    public init(_ index: Int) { self.index = index }
    /// Compares the indices. A value that was created earlier has a lower index.
    public static func < (left: ValueID, right: ValueID) -> Bool { left.index < right.index }
  }

  /// A tensor of the network.
  public struct Value: Sendable {
    /// The name in the model, or a name that a pass chose.
    public var name: String
    /// The type. It is nil before shape inference, and if the type depends on data.
    public var type: TensorType?
    /// The elements if they do not depend on the network's inputs; else nil.
    public var constant: Constant?
    /// A narrower type that holds every element exactly, for example `float16` for a result that is rounded to it. A
    /// plan may store the value with this type. Nil if no such type is known.
    public var narrowType: ElementType?
  }

  /// An operator with its inputs and outputs.
  public struct Node: Sendable {
    /// The layer's name in the model.
    public var name: String
    /// The operator.
    public var operation: any Operator
    /// The values that the node reads.
    public var inputs: [ValueID]
    /// The values that the node writes.
    public var outputs: [ValueID]
    /// The regions of a control node (``ControlOperator``).
    public var regions: [Region]
    /// The values that the region returns if this node leaves the region early. Nil for a node that cannot leave the
    /// region.
    public var leaving: [ValueID]?
    /// The layer in the model file from which the reader made the node; nil if this layer has the node's name.
    public var origin: Origin?

    /// A layer's type and name in its file.
    public struct Origin: Sendable, Hashable {
      /// The layer's type in the file's format, for example `MatMul` or `FULLY_CONNECTED`.
      public let kind: String
      /// The layer's name in the file.
      public let name: String

      /// Creates the origin of a node.
      public init(kind: String, name: String) {
        self.kind = kind
        self.name = name
      }
    }

    /// Creates a node.
    public init(
      name: String, operation: any Operator, inputs: [ValueID], outputs: [ValueID],
      regions: [Region] = [], leaving: [ValueID]? = nil, origin: Origin? = nil
    ) {
      self.name = name
      self.operation = operation
      self.inputs = inputs
      self.outputs = outputs
      self.regions = regions
      self.leaving = leaving
      self.origin = origin
    }
  }

  /// A state, which keeps its value from one run to the next. The graph has an input for the value before a run, and an
  /// output for the value after the run if the network changes the state.
  public struct State: Sendable, Hashable {
    /// The index of the input that holds the value before a run.
    public let input: Int
    /// The index of the output that holds the value after a run; nil if the network only reads the state.
    public let output: Int?

    /// Creates a state.
    public init(input: Int, output: Int?) {
      self.input = input
      self.output = output
    }
  }

  /// The default for the maximum number of iterations of a loop. The number is larger than the number of iterations of
  /// any useful loop, and small enough that an endless loop ends within minutes.
  public static let defaultLoopLimit = 10_000_000

  /// All values of the graph. The index of a value never changes.
  public private(set) var values: [Value] = []
  /// The nodes, in an order in which they can run.
  public var nodes: [Node] = []
  /// The values that the caller passes to the network.
  public var inputs: [ValueID] = []
  /// The values that the network returns to the caller.
  public var outputs: [ValueID] = []
  /// The inputs that are images, with the conversion from an image.
  public var imageInputs: [ValueID: ImagePort] = [:]
  /// The outputs that are images, with the conversion to an image.
  public var imageOutputs: [ValueID: ImagePort] = [:]

  /// The states, which keep their values from one run to the next. The input and the output of a state share the memory
  /// that the caller binds to the session.
  public var states: [State] = []

  /// Returns the type in which the caller's memory holds the elements of a state: the narrow type of its input, or
  /// `element`, the type of the input in the graph.
  public func storage(of state: State, _ element: ElementType) -> ElementType {
    self[inputs[state.input]].narrowType ?? element
  }

  /// Creates an empty graph.
  public init() {}

  /// Adds a value that no node writes yet.
  public mutating func addValue(_ name: String, type: TensorType? = nil) -> ValueID {
    values.append(Value(name: name, type: type, constant: nil, narrowType: nil))
    return ValueID(values.count - 1)
  }

  /// Adds a constant.
  public mutating func addConstant(_ constant: Constant, name: String) -> ValueID {
    let value = addValue(name, type: constant.type)
    self[value].constant = constant
    return value
  }

  /// The value with this index.
  public subscript(value: ValueID) -> Value {
    get { values[value.index] }
    set { values[value.index] = newValue }
  }

  /// For each value, in the order of their indices, returns the indices of the nodes that read it. An output of the
  /// graph does not count as a reader.
  public func readers() -> [[Int]] {
    var result = [[Int]](repeating: [], count: values.count)
    for (position, node) in nodes.enumerated() {
      for input in node.inputs { result[input.index].append(position) }
    }
    return result
  }

  /// For each value, in the order of their indices, returns the index of the node that writes it; nil for inputs and
  /// constants.
  public func writers() -> [Int?] {
    var result = [Int?](repeating: nil, count: values.count)
    for (position, node) in nodes.enumerated() {
      for output in node.outputs { result[output.index] = position }
    }
    return result
  }
}
