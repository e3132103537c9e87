/// What a network means, free of machines: values, and the layers that make them from others.
///
/// Every value is written once; the nodes stand in an order in which they can run.
public struct Graph: Sendable {
  /// The index of a value.
  public struct ValueID: Hashable, Sendable, Comparable {
    /// The position in ``Graph/values``.
    public let index: Int
    /// An index.
    public init(_ index: Int) { self.index = index }
    /// Values in the order of their making.
    public static func < (left: ValueID, right: ValueID) -> Bool { left.index < right.index }
  }

  /// A tensor that flows through the network.
  public struct Value: Sendable {
    /// The name in the model, or one that a pass made.
    public var name: String
    /// The type, once shapes are inferred; nil before and for shapes that depend on data.
    public var type: TensorType?
    /// The values, when they do not depend on the network's inputs.
    public var constant: Constant?
  }

  /// A layer with its place in the network.
  public struct Node: Sendable {
    /// The layer's name in the model.
    public var name: String
    /// What it computes.
    public var operation: any Operator
    /// The values that it reads.
    public var inputs: [ValueID]
    /// The values that it writes.
    public var outputs: [ValueID]
    /// What it runs, for operators that decide what runs (``ControlOperator``).
    public var regions: [Region]
    /// For a node at which the region that it stands in may be left early: what the region's outputs
    /// are then.
    public var leaving: [ValueID]?
    /// The layer of a file that it was made of, where the file calls it otherwise.
    public var origin: Origin?

    /// A layer as its file calls it.
    public struct Origin: Sendable, Hashable {
      /// The type of the layer in its format: `MatMul`, `FULLY_CONNECTED`.
      public let kind: String
      /// The layer's name in the file.
      public let name: String

      /// A layer of a file.
      public init(kind: String, name: String) {
        self.kind = kind
        self.name = name
      }
    }

    /// A node.
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

  /// A tensor that is kept between runs, by its positions among the inputs and outputs.
  public struct Kept: Sendable, Hashable {
    /// What it was before a run.
    public let input: Int
    /// What it is afterwards; nil for one that is only read.
    public let output: Int?

    /// A tensor that is kept.
    public init(input: Int, output: Int?) {
      self.input = input
      self.output = output
    }
  }

  /// The most rounds that a loop takes unless the caller says otherwise: more than any sensible loop, and
  /// few enough to end within minutes.
  public static let defaultLoopLimit = 10_000_000

  /// All values; indices stay valid for the graph's life.
  public private(set) var values: [Value] = []
  /// The layers in an order in which they can run.
  public var nodes: [Node] = []
  /// What the caller gives.
  public var inputs: [ValueID] = []
  /// What the caller gets.
  public var outputs: [ValueID] = []
  /// The inputs that are pictures.
  public var imageInputs: [ValueID: ImagePort] = [:]
  /// The outputs that are pictures.
  public var imageOutputs: [ValueID: ImagePort] = [:]

  /// The inputs and outputs that are tensors kept between runs: a plan gives both the memory that a session is
  /// bound to.
  public var kept: [Kept] = []

  /// An empty graph.
  public init() {}

  /// Adds a value that nobody writes yet.
  public mutating func addValue(_ name: String, type: TensorType? = nil) -> ValueID {
    values.append(Value(name: name, type: type, constant: nil))
    return ValueID(values.count - 1)
  }

  /// Adds a value that does not change.
  public mutating func addConstant(_ constant: Constant, name: String) -> ValueID {
    let value = addValue(name, type: constant.type)
    self[value].constant = constant
    return value
  }

  /// A value by its index.
  public subscript(value: ValueID) -> Value {
    get { values[value.index] }
    set { values[value.index] = newValue }
  }

  /// The nodes that read each value, by value index; a graph output counts as no node.
  public func readers() -> [[Int]] {
    var result = [[Int]](repeating: [], count: values.count)
    for (position, node) in nodes.enumerated() {
      for input in node.inputs { result[input.index].append(position) }
    }
    return result
  }

  /// The node that writes each value, by value index; nil for inputs.
  public func writers() -> [Int?] {
    var result = [Int?](repeating: nil, count: values.count)
    for (position, node) in nodes.enumerated() {
      for output in node.outputs { result[output.index] = position }
    }
    return result
  }
}
