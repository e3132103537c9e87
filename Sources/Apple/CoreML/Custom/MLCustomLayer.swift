import Foundation

/// A layer of a model that an app implements in Swift.
///
/// The model contains the name of the layer's class. The framework takes the class that
/// ``MLCustomLayerRegistry/register(_:for:)`` registered for that name, or else a class of that name in any module.
/// Loading a model makes one instance of the class. Concurrent predictions make more instances, so two threads never
/// call the same instance at once. An instance may predict with the model that contains the layer.
///
/// Arrays are float32 with five axes: sequence, batch, channels, height, width. The elements are in the prediction's
/// memory. An array that you keep after the call gets a copy of the elements. A pointer into an array is valid only
/// during the call.
public protocol MLCustomLayer: AnyObject {
  /// Makes the layer with the parameters in the model. The parameters are numbers, strings and flags, by name.
  init(parameters: [String: Any]) throws

  /// Sets the weights, in the order in which the model stores them. The framework calls this method once for each
  /// instance, after `init`.
  func setWeightData(_ weights: [Data]) throws

  /// Returns the shapes of the outputs for given shapes of the inputs.
  func outputShapes(forInputShapes inputShapes: [[NSNumber]]) throws -> [[NSNumber]]

  /// Computes the outputs. The inputs have the shapes that the last call of ``outputShapes(forInputShapes:)`` got, and
  /// the outputs have the shapes that it returned.
  func evaluate(inputs: [MLMultiArray], outputs: [MLMultiArray]) throws
}
