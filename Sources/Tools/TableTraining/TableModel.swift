import ModelFormat

/// A trained model of a table's columns: it encodes a row and computes a number or a class.
public struct TableModel: Sendable {
  /// How an encoded row becomes scores.
  public enum Computation: Sendable {
    /// The sum of trees.
    case trees(TreeScores)
    /// A linear regressor.
    case linear(LinearTraining.Solution)
    /// A linear classifier. Class 0 has the score 0; the others have one row of weights and one offset each. A softmax
    /// of the scores gives the probabilities.
    case logistic(weights: [[Double]], offsets: [Double])
    /// A linear classifier that compares classes in pairs.
    case supportVectors(SupportVectorTraining.Solution)
  }

  /// The names of the classes.
  public enum Classes: Sendable {
    /// Words.
    case words([String])
    /// Integers.
    case integers([Int])

    /// The number of classes.
    public var count: Int {
      switch self {
      case .words(let words): words.count
      case .integers(let integers): integers.count
      }
    }
  }

  /// How rows become vectors.
  public let encoding: FeatureEncoding
  /// How vectors become scores.
  public let computation: Computation
  /// The classes. Nil for a regressor.
  public let classes: Classes?
  /// The name of the column that the model predicts.
  public let target: String

  /// Makes a model.
  public init(
    encoding: FeatureEncoding, computation: Computation, classes: Classes?, target: String
  ) {
    self.encoding = encoding
    self.computation = computation
    self.classes = classes
    self.target = target
  }

  /// Predicts the number of each row. For a classifier, the number is that of the class.
  ///
  /// - Throws: ``TableTrainingError`` if a column is missing or has another kind of values.
  public func predictions(_ table: TrainingTable) throws -> [Double] {
    let columns: [[Double]] = try encoding.columns(of: table)
    let rows: Range<Int> = 0..<table.rowCount
    switch computation {
    case .linear(let solution):
      return rows.map { row in
        zip(solution.weights, columns).reduce(solution.offset) { $0 + $1.0 * $1.1[row] }
      }
    case .logistic(let weights, let offsets):
      return rows.map { row in
        let scores: [Double] = zip(weights, offsets).map { weights, offset in
          zip(weights, columns).reduce(offset) { $0 + $1.0 * $1.1[row] }
        }
        return Double(Self.greatest(([0] + scores)[...]))
      }
    case .supportVectors(let solution):
      return rows.map { row in Double(solution.decision(columns.map { $0[row] })) }
    case .trees(let trees):
      let count: Int = trees.base.count
      let scores: [Double] = trees.scores(columns, rows: table.rowCount)
      guard classes != nil else { return scores }
      return rows.map { row in
        if count == 1 { return scores[row] > 0 ? 1 : 0 }
        return Double(Self.greatest(scores[(row * count)..<((row + 1) * count)]))
      }
    }
  }

  /// The position of the greatest score; the first of several.
  private static func greatest(_ scores: ArraySlice<Double>) -> Int {
    var best = 0
    for (position, score) in scores.enumerated()
    where score > scores[scores.startIndex + best] {
      best = position
    }
    return best
  }
}

extension TableModel {
  private static let encoderVersion: Int32 = 1
  private static let vector = "features"
  private static let probabilities = "Probability"

  /// The Core ML model: a pipeline of one-hot encoders, a feature vectorizer and the trees or the linear model. Its
  /// inputs are the columns; its outputs are the target and, for a classifier with probabilities, the probability of each
  /// class under the name of the target with “Probability” appended.
  public func specification(_ metadata: Spec.Metadata) -> Spec.Model {
    let inputs: [Spec.FeatureDescription] = encoding.sources.map { source in
      switch source.kind {
      case .number(let isInteger):
        isInteger
          ? Self.feature(source.name, .int64Type(Spec.Int64FeatureType()))
          : Self.feature(source.name, .doubleType(Spec.DoubleFeatureType()))
      case .categories: Self.feature(source.name, .stringType(Spec.StringFeatureType()))
      }
    }
    var stages: [Spec.Model] = []
    var columns: [Spec.FeatureVectorizer.InputColumn] = []
    for (source, input) in zip(encoding.sources, inputs) {
      var name: String = source.name
      if case .categories(let words) = source.kind {
        name = encodedName(of: source.name)
        stages.append(Self.encoder(input, words, output: name))
      }
      columns.append(
        .making {
          $0.inputColumn = name
          $0.inputDimensions = UInt64(source.width)
        })
    }
    let features = Self.array(Self.vector, encoding.width)
    stages.append(
      .making {
        $0.specificationVersion = Self.encoderVersion
        $0.type = .featureVectorizer(.making { $0.inputList = columns })
        $0.description = .making {
          $0.input = zip(encoding.sources, inputs).map { source, input in
            if case .categories(let words) = source.kind {
              return Self.array(encodedName(of: source.name), words.count)
            }
            return input
          }
          $0.output = [features]
        }
      })
    stages.append(last(features))
    let pipeline = Spec.Pipeline.making { $0.models = stages }
    return .making {
      $0.specificationVersion = Self.encoderVersion
      $0.type =
        classes == nil
        ? .pipelineRegressor(.making { $0.pipeline = pipeline })
        : .pipelineClassifier(.making { $0.pipeline = pipeline })
      $0.description = description(inputs)
      $0.description?.metadata = metadata
    }
  }

  /// Whether the model computes a probability of each class.
  private var hasProbabilities: Bool {
    if case .supportVectors = computation { return false }
    return classes != nil
  }

  /// A name for the encoded column that no column has.
  private func encodedName(of column: String) -> String {
    var name: String = column + ".encoded"
    while encoding.sources.contains(where: { $0.name == name }) { name += "_" }
    return name
  }

  private static func feature(
    _ name: String, _ type: Spec.FeatureType.OneOfType
  ) -> Spec.FeatureDescription {
    .making {
      $0.name = name
      $0.type = .making { $0.type = type }
    }
  }

  private static func array(_ name: String, _ count: Int) -> Spec.FeatureDescription {
    feature(
      name,
      .multiArrayType(
        .making {
          $0.shape = [Int64(count)]
          $0.dataType = .double
        }))
  }

  private static func encoder(
    _ input: Spec.FeatureDescription, _ words: [String], output: String
  ) -> Spec.Model {
    .making {
      $0.specificationVersion = encoderVersion
      $0.type = .oneHotEncoder(
        .making {
          $0.categoryType = .stringCategories(.making { $0.vector = words })
          $0.handleUnknown = .ignoreUnknown
        })
      $0.description = .making {
        $0.input = [input]
        $0.output = [array(output, words.count)]
      }
    }
  }

  private func description(_ inputs: [Spec.FeatureDescription]) -> Spec.ModelDescription {
    .making {
      $0.input = inputs
      $0.predictedFeatureName = target
      switch classes {
      case nil: $0.output = [Self.feature(target, .doubleType(Spec.DoubleFeatureType()))]
      case .words:
        $0.output = [
          Self.feature(target, .stringType(Spec.StringFeatureType())),
          Self.feature(
            target + Self.probabilities,
            .dictionaryType(.making { $0.keyType = .stringKeyType(Spec.StringFeatureType()) })),
        ]
      case .integers:
        $0.output = [
          Self.feature(target, .int64Type(Spec.Int64FeatureType())),
          Self.feature(
            target + Self.probabilities,
            .dictionaryType(.making { $0.keyType = .int64KeyType(Spec.Int64FeatureType()) })),
        ]
      }
      if hasProbabilities {
        $0.predictedProbabilitiesName = target + Self.probabilities
      } else {
        $0.output = Array($0.output.prefix(1))
      }
    }
  }

  /// The last model of the pipeline.
  private func last(_ features: Spec.FeatureDescription) -> Spec.Model {
    .making {
      $0.specificationVersion = Self.encoderVersion
      $0.description = description([features])
      $0.type = lastType()
    }
  }

  private func lastType() -> Spec.Model.OneOfType {
    switch (computation, classes) {
    case (.trees(let trees), let classes?):
      return .treeEnsembleClassifier(
        .making {
          $0.treeEnsemble = Self.parameters(trees)
          switch trees.meaning {
          case .logOdds where trees.base.count == 1:
            $0.postEvaluationTransform = .classificationSoftMaxWithZeroClassReference
          case .logOdds: $0.postEvaluationTransform = .classificationSoftMax
          case .probabilities, .number: $0.postEvaluationTransform = .noTransform
          }
          switch classes {
          case .words(let words): $0.classLabels = .stringClassLabels(.making { $0.vector = words })
          case .integers(let integers):
            $0.classLabels = .int64ClassLabels(.making { $0.vector = integers.map(Int64.init) })
          }
        })
    case (.trees(let trees), nil):
      return .treeEnsembleRegressor(.making { $0.treeEnsemble = Self.parameters(trees) })
    case (.linear(let solution), _):
      return .glmRegressor(
        .making {
          $0.weights = [.making { $0.value = solution.weights }]
          $0.offset = [solution.offset]
        })
    case (.logistic(let weights, let offsets), let classes):
      return .glmClassifier(
        .making {
          $0.weights = weights.map { row in .making { $0.value = row } }
          $0.offset = offsets
          $0.postEvaluationTransform = .logit
          $0.classEncoding = .referenceClass
          switch classes {
          case .integers(let integers)?:
            $0.classLabels = .int64ClassLabels(.making { $0.vector = integers.map(Int64.init) })
          case .words(let words)?:
            $0.classLabels = .stringClassLabels(.making { $0.vector = words })
          case nil: break
          }
        })
    case (.supportVectors(let solution), let classes):
      return .supportVectorClassifier(
        .making {
          $0.kernel = .making { $0.kernel = .linearKernel(Spec.LinearKernel()) }
          $0.numberOfSupportVectorsPerClass = solution.counts.map { Int32(clamping: $0) }
          $0.supportVectors = .denseSupportVectors(
            .making {
              $0.vectors = solution.vectors.map { vector in .making { $0.values = vector } }
            })
          $0.coefficients = solution.coefficients.map { row in .making { $0.alpha = row } }
          $0.rho = solution.offsets
          switch classes {
          case .integers(let integers)?:
            $0.classLabels = .int64ClassLabels(.making { $0.vector = integers.map(Int64.init) })
          case .words(let words)?:
            $0.classLabels = .stringClassLabels(.making { $0.vector = words })
          case nil: break
          }
        })
    }
  }

  private static func parameters(_ trees: TreeScores) -> Spec.TreeEnsembleParameters {
    var parameters = Spec.TreeEnsembleParameters()
    parameters.numPredictionDimensions = UInt64(trees.base.count)
    parameters.basePredictionValue = trees.base
    for (number, term) in trees.terms.enumerated() {
      for (position, node) in term.tree.nodes.enumerated() {
        parameters.nodes.append(
          .making {
            $0.treeId = UInt64(number)
            $0.nodeId = UInt64(position)
            guard node.isLeaf else {
              $0.nodeBehavior = .branchOnValueLessThanEqual
              $0.branchFeatureIndex = UInt64(node.feature)
              $0.branchFeatureValue = node.threshold
              $0.trueChildNodeId = UInt64(node.left)
              $0.falseChildNodeId = UInt64(node.right)
              $0.missingValueTracksTrueChild = node.missingGoesLeft
              return
            }
            $0.nodeBehavior = .leafNode
            let values: [Double] = Array(term.tree.values(of: node))
            $0.evaluationInfo = values.enumerated().filter { $1 != 0 || values.count == 1 }
              .map { offset, value in
                .making {
                  $0.evaluationIndex = UInt64(term.firstScore + offset)
                  $0.evaluationValue = value
                }
              }
          })
      }
    }
    return parameters
  }
}
