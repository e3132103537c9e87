import CoreML
import Foundation
import ModelFormat
import Tensors
import Testing

private typealias Networks = UpdatableNetworks

@Suite("Updating neural networks")
struct NetworkUpdateTests {
  private let close = 1e-6

  private func isClose(_ left: [Double], _ right: [Double], _ tolerance: Double = 1e-6) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { abs($0 - $1) <= tolerance }
  }

  /// Three examples of `y = w · x + b`, for mini-batches of two. The training starts at w = (1, −1), b = 0.5.
  private static var examples: [[String: Any]] {
    [
      Networks.example([1, 2], [1]), Networks.example([0, 1], [-1]),
      Networks.example([3, 1], [2]),
    ]
  }

  /// Computes one epoch of SGD in plain arithmetic: a step for the first two examples, then a step for the third.
  private static func byHand(rate: Double) -> (weights: [Double], bias: Double, losses: [Double]) {
    var (w, b): ([Double], Double) = ([1, -1], 0.5)
    var losses: [Double] = []
    for batch in [[([1.0, 2.0], 1.0), ([0.0, 1.0], -1.0)], [([3.0, 1.0], 2.0)]] {
      var (dw, db, loss): ([Double], Double, Double) = ([0, 0], 0, 0)
      for (x, target) in batch {
        let error: Double = w[0] * x[0] + w[1] * x[1] + b - target
        let share: Double = 2 * error / Double(batch.count)
        dw = [dw[0] + share * x[0], dw[1] + share * x[1]]
        db += share
        loss += error * error / Double(batch.count)
      }
      losses.append(loss)
      w = [w[0] - rate * dw[0], w[1] - rate * dw[1]]
      b -= rate * db
    }
    return (w, b, losses)
  }

  private func regression(isExact: Bool = false, isHalf: Bool = false) -> Spec.Model {
    Networks.regression(
      [Networks.dense("dense", [1, -1], [0.5], from: "x", to: "y", isHalf: isHalf)], inputs: 2,
      isExact: isExact)
  }

  @Test(
    "Mini-batch steps match plain arithmetic, including a smaller last batch",
    arguments: [false, true])
  func arithmetic(_ isExact: Bool) throws {
    try Fixtures.withFolder { folder in
      let noted: Noted<[String]> = Noted([])
      let losses: Noted<[Double]> = Noted([])
      let context = try update(
        regression(isExact: isExact).written(to: folder), with: Self.examples,
        events: [.trainingBegin, .miniBatchEnd, .epochEnd],
        progress: { context in
          let indices: [Int] = [.epochIndex, .miniBatchIndex].compactMap {
            context.metrics[$0] as? Int
          }
          noted.value.append("\(context.event.rawValue) \(indices)")
          if let loss = context.metrics[.lossValue] as? Double { losses.value.append(loss) }
        })
      #expect(context.task.error == nil)
      let expected = Self.byHand(rate: 0.1)
      #expect(
        isClose(
          try Networks.values(.weights.scoped(to: "dense"), of: context.model), expected.weights))
      #expect(
        isClose(
          try Networks.values(.biases.scoped(to: "dense"), of: context.model), [expected.bias]))
      let mean: Double = (expected.losses[0] * 2 + expected.losses[1]) / 3
      #expect(isClose(losses.value, expected.losses + [mean], 1e-5))
      #expect(noted.value == ["1 []", "4 [0, 0]", "4 [0, 1]", "2 [0]"])
      let array = try context.model.parameterValue(for: .weights.scoped(to: "dense"))
      #expect((array as? MLMultiArray)?.shape == [1, 2])
    }
  }

  @Test(
    "A written model has the learned weights, in the file's storage type",
    arguments: [
      false, true,
    ])
  func written(_ isHalf: Bool) throws {
    try Fixtures.withFolder { folder in
      let context = try update(
        regression(isHalf: isHalf).written(to: folder), with: Self.examples)
      let url: URL = folder.appendingPathComponent("new.mlmodel")
      try context.model.write(to: url)
      let again = try MLModel(contentsOf: url)
      let learned = try Networks.values(.weights.scoped(to: "dense"), of: context.model)
      #expect(try Networks.values(.weights.scoped(to: "dense"), of: again) == learned)
      #expect(isClose(learned, Self.byHand(rate: 0.1).weights, isHalf ? 1e-3 : 1e-6))
      let input = try MLDictionaryFeatureProvider(dictionary: ["x": Networks.array([2, 3])])
      let (first, second) = (
        try context.model.prediction(from: input).featureValue(for: "y")!.multiArrayValue![0],
        try again.prediction(from: input).featureValue(for: "y")!.multiArrayValue![0]
      )
      #expect(first == second)
      guard case .neuralNetwork(let network)? = try ModelFile.open(url).model.type,
        case .innerProduct(let product)? = network.layers[0].layer
      else {
        Issue.record("not the network that was updated")
        return
      }
      #expect(product.weights?.storage == (isHalf ? .float16 : .float32))
      #expect(product.weights?.isUpdatable == true)
    }
  }

  @Test("A classifier learns from labels, and its first step is that of softmax regression")
  func classifies() throws {
    try Fixtures.withFolder { folder in
      let model: URL = try Networks.classifier(weights: [0.5, 0, 0, -0.25]).written(to: folder)
      let first = try update(
        model, with: [["point": Networks.array([2, 1]), "label": "high"]],
        parameters: [.learningRate: 0.5])
      // By hand: the scores W x are (1, −0.25), so the probabilities p are (0.7773, 0.2227). With the target t = (0, 1)
      // and the learning rate 0.5, the new weights are W − 0.5 · (p − t) xᵀ.
      let share: Double = 1 / (1 + exp(-1.25))
      let step: Double = 0.5 * share
      #expect(
        isClose(
          try Networks.values(.weights.scoped(to: "dense"), of: first.model),
          [0.5 - step * 2, -step, step * 2, -0.25 + step]))
      #expect(
        isClose(try Networks.values(.biases.scoped(to: "dense"), of: first.model), [-step, step]))
      #expect(
        isClose([first.metrics[.lossValue] as? Double ?? 0], [-log(1 - share)], 1e-5))
      var generator = SplitMix64(seed: 5)
      let examples: [[String: Any]] = (0..<60).map { index in
        let isHigh: Bool = index % 2 == 1
        let centre: Double = isHigh ? 1 : -1
        return [
          "point": Networks.array([
            Float(centre + generator.unit() - 0.5), Float(centre + generator.unit() - 0.5),
          ]), "label": isHigh ? "high" : "low",
        ]
      }
      let learned = try update(
        model, with: examples, parameters: [.epochs: 5, .miniBatchSize: 8, .shuffle: true])
      let right: Int = try examples.count { example in
        let answer = try learned.model.prediction(
          from: MLDictionaryFeatureProvider(dictionary: ["point": example["point"]!]))
        return answer.featureValue(for: "label")?.stringValue == example["label"] as? String
      }
      #expect(right == 60)
    }
  }

  @Test(
    "Layers not marked as updatable do not change, and layers before and after them still learn")
  func marked() throws {
    try Fixtures.withFolder { folder in
      let relu: Spec.NeuralNetworkLayer.OneOfLayer = {
        var activation = Spec.ActivationParams()
        activation.nonlinearityType = .reLU(Spec.ActivationReLU())
        return .activation(activation)
      }()
      let model = Networks.regression(
        [
          Networks.dense("first", [1, 0.5, -1, 1], [0.1, 0.2], from: "x", to: "a"),
          Networks.layer(relu, "relu", from: "a", to: "b"),
          Networks.dense(
            "second", [1, 0.5, 0.25, 1], [0, 0], from: "b", to: "c", isUpdatable: false),
          Networks.dense("third", [1, 1], [0], from: "c", to: "y"),
        ], inputs: 2)
      let context = try update(model.written(to: folder), with: Self.examples)
      let first = try Networks.values(.weights.scoped(to: "first"), of: context.model)
      #expect(first != [1, 0.5, -1, 1])
      #expect(
        try Networks.values(.weights.scoped(to: "second"), of: context.model) == [1, 0.5, 0.25, 1])
      #expect(try Networks.values(.biases.scoped(to: "third"), of: context.model) != [0])
    }
  }

  @Test("Weights can be set for a prediction and as the start of an update, and are checked")
  func overrides() throws {
    try Fixtures.withFolder { folder in
      let url: URL = try regression().written(to: folder)
      let configuration = MLModelConfiguration()
      configuration.parameters = [.weights.scoped(to: "dense"): Networks.array([2, 3])]
      let model = try MLModel(contentsOf: url, configuration: configuration)
      let input = try MLDictionaryFeatureProvider(dictionary: ["x": Networks.array([1, 10])])
      #expect(
        try model.prediction(from: input).featureValue(for: "y")?.multiArrayValue?[0] == 32.5)
      let context = try update(
        url, with: Self.examples,
        parameters: [.weights.scoped(to: "dense"): Networks.array([2, 3]), .learningRate: 0.0])
      #expect(try Networks.values(.weights.scoped(to: "dense"), of: context.model) == [2, 3])
      func refusal(_ key: MLParameterKey, _ value: Any) -> String? {
        configuration.parameters = [key: value]
        return sentence { _ = try MLModel(contentsOf: url, configuration: configuration) }
      }
      #expect(
        refusal(.weights.scoped(to: "dance"), Networks.array([2, 3]))
          == "The model has no layer 'dance' with weights; there are 'dense'.")
      #expect(
        refusal(.biases.scoped(to: "dense"), Networks.array([2, 3]))
          == "The parameter 'dense.biases' has 2 elements (2), but the layer has 1.")
      #expect(
        refusal(.weights, Networks.array([2, 3]))
          == "The parameter 'weights' needs a layer: MLParameterKey.weights.scoped(to: \"layer\").")
    }
  }

  @Test("A handler changes the learning rate of the following steps")
  func resuming() throws {
    try Fixtures.withFolder { folder in
      let seen: Noted<[[Double]]> = Noted([])
      let context = try update(
        regression().written(to: folder), with: Self.examples, parameters: [.epochs: 3],
        events: [.epochEnd],
        progress: { context in
          context.task.resume(withParameters: [.learningRate: 0.0])
          seen.value.append(
            (try? Networks.values(.weights.scoped(to: "dense"), of: context.model)) ?? [])
        })
      #expect(seen.value.count == 3)
      #expect(isClose(seen.value[0], Self.byHand(rate: 0.1).weights))
      #expect(seen.value[2] == seen.value[0])
      #expect(context.parameters[.learningRate] as? Double == 0)
    }
  }

  @Test("A diverging loss fails the update, with advice")
  func diverging() throws {
    try Fixtures.withFolder { folder in
      let context = try update(
        regression().written(to: folder), with: Self.examples,
        parameters: [.learningRate: 1e30, .epochs: 20])
      #expect(context.task.state == .failed)
      let message: String = context.task.error?.localizedDescription ?? ""
      #expect(message.hasPrefix("The loss is not a finite number in epoch "))
      #expect(message.contains("Try a smaller learning rate than 1e+30"))
    }
  }

  @Test("Inconsistent targets and inputs fail the update with a message")
  func badExamples() throws {
    try Fixtures.withFolder { folder in
      let url: URL = try regression().written(to: folder)
      #expect(
        try update(url, with: [Networks.example([1, 2], [1, 2])]).task.error?.localizedDescription
          == "Training example 0: The target \"y_true\" has 2 values, but the network computes 1.")
      #expect(
        try update(url, with: [Networks.example([1], [1])]).task.error?.localizedDescription
          == "Training example 0: The multi-array for the input feature \"x\" has the shape 1, but the"
          + " model expects 2.")
      let classifier: URL = try Networks.classifier().written(to: folder, "classifier.mlmodel")
      #expect(
        try update(
          classifier, with: [["point": Networks.array([1, 2]), "label": "middle"]]
        ).task.error?.localizedDescription
          == "Training example 0: The target \"label\" is 'middle', which is not a class of the model."
      )
    }
  }

  @Test("Networks that cannot be trained are refused with the reason")
  func refused() throws {
    try Fixtures.withFolder { folder in
      func refusal(_ model: Spec.Model) -> String? {
        sentence { _ = try update(model.written(to: folder), with: Self.examples) }
      }
      let dense = Networks.dense("dense", [1, 1], [0], from: "x", to: "y")
      let fixed = Networks.dense("dense", [1, 1], [0], from: "x", to: "y", isUpdatable: false)
      #expect(
        refusal(Networks.regression([fixed], inputs: 2))
          == "The neural network cannot be trained: none of its layers is marked as updatable.")
      #expect(
        refusal(
          Networks.regression(
            [dense], inputs: 2, training: Networks.training(Networks.crossEntropy("y", "y_true"))))
          == "The neural network cannot be trained: its categorical cross entropy reads \"y\", which"
          + " is not a softmax's output.")
      #expect(
        refusal(
          Networks.regression(
            [dense], inputs: 2, training: Networks.training(Networks.squaredError("z"))))
          == "The neural network cannot be trained: its loss reads \"z\", which no layer computes.")
    }
  }
}
