import ClassicalModels
import ModelFormat
import Testing

/// Compares our results with results that scikit-learn 1.5.1 computed once.
@Suite("Support vector machines")
struct SupportVectorTests {
  private func dense(_ vectors: [[Double]]) -> Spec.DenseSupportVectors {
    var message = Spec.DenseSupportVectors()
    message.vectors = vectors.map { values in
      var vector = Spec.DenseVector()
      vector.values = values
      return vector
    }
    return message
  }

  private func kernel(_ kernel: Spec.Kernel.OneOfKernel) -> Spec.Kernel {
    var message = Spec.Kernel()
    message.kernel = kernel
    return message
  }

  private func coefficients(_ values: [Double]) -> Spec.Coefficients {
    var message = Spec.Coefficients()
    message.alpha = values
    return message
  }

  private func radial() -> Spec.Kernel.OneOfKernel {
    var radial = Spec.RBFKernel()
    radial.gamma = 0.5
    return .rbfKernel(radial)
  }

  private func polynomial(degree: Int32, offset: Double) -> Spec.Kernel.OneOfKernel {
    var poly = Spec.PolyKernel()
    poly.degree = degree
    poly.gamma = 0.5
    poly.c = offset
    return .polyKernel(poly)
  }

  private let four: [[Double]] = [[1.8, 0.4], [0.1, -1.9], [-0.3, -0.4], [-0.1, -0.6]]

  private func regressor(
    _ function: Spec.Kernel.OneOfKernel, _ alpha: [Double], rho: Double
  ) -> Spec.SupportVectorRegressor {
    var message = Spec.SupportVectorRegressor()
    message.kernel = kernel(function)
    message.supportVectors = .denseSupportVectors(dense(four))
    message.coefficients = coefficients(alpha)
    message.rho = rho
    return message
  }

  @Test("A regressor supports each kernel")
  func regression() throws {
    var sigmoid = Spec.SigmoidKernel()
    sigmoid.gamma = 0.5
    sigmoid.c = 0.25
    let models: [(Spec.SupportVectorRegressor, Double)] = [
      (
        regressor(
          .linearKernel(Spec.LinearKernel()),
          [-0.41588588965355683, -0.47284380682613175, 0.3887296964796886, 0.5],
          rho: -2.721818305186215), 2.3097086093138417
      ),
      (
        regressor(.sigmoidKernel(sigmoid), [-0.5, -0.5, 0.5, 0.5], rho: -2.3576612854376435),
        2.157964611062922
      ),
      (
        regressor(
          radial(), [-0.5, -0.40110251747807724, 0.40110251747807724, 0.5],
          rho: -2.178739136084914), 2.456462333930891
      ),
      (
        regressor(
          polynomial(degree: 3, offset: 0.25),
          [-0.27087123092541576, -0.14404888261519191, -0.08507988645939235, 0.5],
          rho: -3.1086298273884965), 2.9958697588608016
      ),
    ]
    for (message, expected) in models {
      #expect(
        isClose(
          try SupportVectorRegressor(message).predict([0.5, 0.25]), [expected], within: 1e-9))
    }
  }

  @Test("Sparse vectors have one-based indices and omit zeros")
  func sparse() throws {
    var node = Spec.SparseNode()
    node.index = 2
    node.value = 3
    var vector = Spec.SparseVector()
    vector.nodes = [node]
    var vectors = Spec.SparseSupportVectors()
    vectors.vectors = [vector]
    var message = regressor(.linearKernel(Spec.LinearKernel()), [2], rho: 1)
    message.supportVectors = .sparseSupportVectors(vectors)
    #expect(try SupportVectorRegressor(message).predict([7, 5, 1]) == [29])
    #expect(
      sentence { _ = try SupportVectorRegressor(message).predict([7]) }
        == "The support vector regressor has support vectors of 2 elements, but its input has 1 "
        + "values.")
    vectors.vectors[0].nodes[0].index = 0
    message.supportVectors = .sparseSupportVectors(vectors)
    #expect(
      sentence { _ = try SupportVectorRegressor(message) }
        == "A support vector of the support vector regressor has the index 0; they count from 1.")
  }

  private func classifier() -> Spec.SupportVectorClassifier {
    var message = Spec.SupportVectorClassifier()
    message.kernel = kernel(radial())
    message.supportVectors = .denseSupportVectors(
      dense([
        [1.8, 0.4], [0.1, -1.9], [-0.3, -0.4], [-0.1, -0.6], [2.0, -0.5], [0.7, 0.9],
        [2.9, 1.7], [2.1, -0.4], [-0.5, 0.5], [1.0, 0.9], [-1.2, 1.8], [1.5, 2.2],
      ]))
    message.numberOfSupportVectorsPerClass = [4, 4, 4]
    message.coefficients = [
      coefficients([
        1.0, 0.9700432550651987, 1.0, 0.1725634470101761, -1.0, -1.0, -0.8186405527988361,
        -0.3239661492765388, -1.0, -1.0, -0.5306129975548769, -0.6371233647966726,
      ]),
      coefficients([
        1.0, 0.6730864934127412, 1.0, 0.49464986893880825, 1.0, 1.0, 1.0, 0.28157513377200505,
        -0.7358113899328775, -1.0, -0.5457637438391275, -1.0,
      ]),
    ]
    message.rho = [0.2669878724283812, 0.13751913264075455, 0.23327465253040344]
    message.probA = [0.31912086387504096, 0.9464684946790543, 0.4722735256962347]
    message.probB = [0.023508617592650598, -0.031113841294179545, -0.07655068327730001]
    return message
  }

  @Test("A classifier of three classes combines the probabilities of its pairs")
  func probabilities() throws {
    let model = try SupportVectorClassifier(classifier(), classCount: 3)
    #expect(
      isClose(
        try model.predict([0.5, 0.25]),
        [0.36032828836704955, 0.35477257214928376, 0.2848991394836668], within: 1e-6))
  }

  @Test("Without probability parameters, the classes' shares of the votes are returned")
  func votes() throws {
    var message: Spec.SupportVectorClassifier = classifier()
    message.probA = []
    message.probB = []
    let votes: [Double] = try SupportVectorClassifier(message, classCount: 3).predict([0.5, 0.25])
    #expect(isClose([votes.reduce(0, +)], [1]))
    #expect(votes[2] == votes.max())
  }

  @Test("If a pair's offset is NaN, its first class has a negligible probability, as in libsvm")
  func notANumber() throws {
    var message: Spec.SupportVectorClassifier = classifier()
    message.rho[0] = .nan
    let shares: [Double] = try SupportVectorClassifier(message, classCount: 3).predict([0.5, 0.25])
    #expect(shares.allSatisfy { $0 >= 0 && $0 <= 1 })
    #expect(isClose([shares.reduce(0, +)], [1]))
    #expect(shares[0] < shares[1])
  }

  @Test("Inconsistent models are refused with a message")
  func damaged() {
    var message: Spec.SupportVectorClassifier = classifier()
    message.numberOfSupportVectorsPerClass = [4, -4, 12]
    #expect(
      sentence { _ = try SupportVectorClassifier(message, classCount: 3) }
        == "The support vector classifier has 12 support vectors and 3 classes, which its numbers "
        + "of support vectors per class, [4, -4, 12], do not add up to.")
    message = classifier()
    message.rho = [1]
    #expect(
      sentence { _ = try SupportVectorClassifier(message, classCount: 3) }
        == "The support vector classifier has 1 values of rho; its 3 classes need 3.")
    #expect(
      sentence { _ = try SupportVectorRegressor(Spec.SupportVectorRegressor()) }
        == "The support vector regressor has no kernel. The model may be damaged.")
    #expect(
      sentence {
        _ = try SupportVectorRegressor(
          regressor(.linearKernel(Spec.LinearKernel()), [1], rho: 0))
      }
        == "The support vector regressor has 4 support vectors, but 1 coefficients; it needs one "
        + "for each.")
  }
}
