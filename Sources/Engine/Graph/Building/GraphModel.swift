/// A graph with a description of its inputs and outputs. The readers of all file formats return such a model, and the
/// writers of all file formats take one.
public struct GraphModel: Sendable {
  /// An input or output of the model.
  public struct Feature: Sendable {
    /// The name that callers of the model use.
    public var name: String
    /// A description for people; may be empty.
    public var summary: String
    /// The element type that callers of the model see.
    public var element: ElementType
    /// The element type of the value in the graph.
    public var held: ElementType
    /// The extents, outermost first; nil for an output of any shape.
    public var extents: [Extent]?
    /// The conversion between an image and a tensor `[1, channels, height, width]`; nil if the feature is an array.
    public var image: Graph.ImagePort?
    /// Whether a prediction may omit this input.
    public var isOptional: Bool
    /// The default shape of a feature with free extents; nil if the model states no default.
    public var usual: [Int]?
    /// The allowed shapes if the model lists them; empty if it gives ranges.
    public var choices: [[Int]] = []

    /// Creates an input or output.
    ///
    /// - Parameter held: The element type of the value in the graph. By default it is `element`.
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
    /// The names of the classes.
    public var labels: [String]
    /// The index of the probabilities among the outputs.
    public var output: Int
    /// The name of the output feature that holds the most probable class.
    public var labelName: String
    /// A description of the feature ``labelName`` for people; may be empty.
    public var labelSummary = ""
    /// Whether the labels are integers. If so, callers get the most probable class as an integer.
    public var areNumbers = false

    /// Creates the classes of an output.
    public init(_ labels: [String], output: Int, labelName: String = "classLabel") {
      self.labels = labels
      self.output = output
      self.labelName = labelName
    }
  }

  /// Descriptions of the model for people.
  public struct Metadata: Sendable {
    /// A description of the model, in one sentence.
    public var summary = ""
    /// The author of the model.
    public var author = ""
    /// The licence.
    public var license = ""
    /// The model's version.
    public var version = ""
    /// Other entries. The author of the model chooses their keys.
    public var other: [String: String] = [:]

    /// Creates empty metadata.
    public init() {}
  }

  /// The graph that computes the model. Its inputs and outputs have the order of ``inputs`` and ``outputs``.
  public var graph: Graph
  /// The model's inputs.
  public var inputs: [Feature]
  /// The model's outputs.
  public var outputs: [Feature]
  /// The classes, if the model is a classifier.
  public var classes: Classes?
  /// Descriptions of the model for people.
  public var metadata = Metadata()

  /// Creates a model of a graph.
  public init(_ graph: Graph, inputs: [Feature], outputs: [Feature]) {
    precondition(
      graph.inputs.count == inputs.count && graph.outputs.count == outputs.count,
      "one feature per input and output of the graph")
    self.graph = graph
    self.inputs = inputs
    self.outputs = outputs
  }
}
