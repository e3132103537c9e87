/// An object that computes parts of a model on another device.
///
/// Has no effect here, because the processor is the only device. An interpreter stores its delegates but never uses
/// them.
public protocol Delegate: AnyObject {}
