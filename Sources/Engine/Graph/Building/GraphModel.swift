/// A graph with what a caller must know of its border: what a reader makes of a file of any format, and what a
/// writer turns into a file of another.
public struct GraphModel: Sendable {
  /// A value at the border.
  public struct Feature: Sendable {
    /// The name by which callers know it.
    public var name: String
    /// A sentence for people; may be empty.
    public var summary: String
    /// The type of the elements at the border.
    public var element: ElementType
    /// The type in which the graph holds the elements.
    public var held: ElementType
    /// The extents, outermost first; nil for an output of any shape.
    public var extents: [Extent]?
    /// How a picture becomes the tensor or the tensor a picture: `[1, channels, height, width]`. Nil for arrays.
    public var image: Graph.ImagePort?
    /// Whether a prediction may leave it out.
    public var isOptional: Bool
    /// The extents that somebody who does not care should take, where they are free.
    public var usual: [Int]?
    /// The only extents that are allowed, where it is not any of a range.
    public var choices: [[Int]] = []

    /// A value at the border.
    ///
    /// - Parameter held: The type in the graph, that of the border unless told otherwise.
    public init(
      _ name: String, _ element: ElementType = .float32, _ extents: [Extent]?,
      held: ElementType? = nil, image: Graph.ImagePort? = nil, summary: String = "",
      isOptional: Bool = false
    ) {
      self.name = name
      self.summary = summary
      self.element = element
      self.held = held ?? element
      self.extents = extents
      self.image = image
      self.isOptional = isOptional
    }
  }

  /// The classes of a classifier, in the order of the probabilities.
  public struct Classes: Sendable {
    /// The names.
    public var labels: [String]
    /// The position of the probabilities among the outputs.
    public var output: Int
    /// The name of the feature that holds the likeliest class.
    public var labelName: String
    /// A sentence for people on that feature; may be empty.
    public var labelSummary = ""
    /// Whether the names are whole numbers, which callers get as such.
    public var areNumbers = false

    /// The classes of an output.
    public init(_ labels: [String], output: Int, labelName: String = "classLabel") {
      self.labels = labels
      self.output = output
      self.labelName = labelName
    }
  }

  /// What people are told of the model.
  public struct Metadata: Sendable {
    /// What it does, in a sentence.
    public var summary = ""
    /// Who made it.
    public var author = ""
    /// The terms of its use.
    public var license = ""
    /// Its version.
    public var version = ""
    /// Anything else, by keys of the author's.
    public var other: [String: String] = [:]

    /// Nothing known.
    public init() {}
  }

  /// What the model computes. Its inputs and outputs stand in the order of ``inputs`` and ``outputs``.
  public var graph: Graph
  /// What the caller gives.
  public var inputs: [Feature]
  /// What the caller gets.
  public var outputs: [Feature]
  /// The classes, where the model is a classifier.
  public var classes: Classes?
  /// What people are told of it.
  public var metadata = Metadata()

  /// A model of a graph.
  public init(_ graph: Graph, inputs: [Feature], outputs: [Feature]) {
    precondition(
      graph.inputs.count == inputs.count && graph.outputs.count == outputs.count,
      "one feature an input and output of the graph")
    self.graph = graph
    self.inputs = inputs
    self.outputs = outputs
  }
}
