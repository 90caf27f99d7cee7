package Vehicles "Three vehicles as their twins in YAML; x forward, y left, z up"
  partial model RigidBody "Six degrees of freedom: global position and velocity, rates of the body"
    parameter Real m = 1 "mass, kg";
    parameter Real J[3] = {1, 1, 1} "principal moments of inertia, kg m2";
    parameter Real g = 9.81;
    output Real position[3] "global, m";
    output Real velocity[3] "global, m/s";
    output Real attitude[4] "quaternion, real part first";
    output Real gyro[3] "rates about the axes of the body, rad/s";
  protected
    Real r[3](start = {0, 0, 1}, each fixed = true);
    Real v[3](start = {0, 0, 0}, each fixed = true);
    Real q[4](start = {1, 0, 0, 0}, each fixed = true);
    Real w[3](start = {0, 0, 0}, each fixed = true);
    Real F[3] "force along the axes of the body";
    Real T[3] "torque about them";
    Real N "what the ground pushes up with";
    Real u[3] "velocity along the axes of the body";
    Real ex[3] "the axes of the body";
    Real ey[3];
    Real ez[3];
  equation
    ex[1] = 1 - 2*(q[3]^2 + q[4]^2);
    ex[2] = 2*(q[2]*q[3] + q[1]*q[4]);
    ex[3] = 2*(q[2]*q[4] - q[1]*q[3]);
    ey[1] = 2*(q[2]*q[3] - q[1]*q[4]);
    ey[2] = 1 - 2*(q[2]^2 + q[4]^2);
    ey[3] = 2*(q[3]*q[4] + q[1]*q[2]);
    ez[1] = 2*(q[2]*q[4] + q[1]*q[3]);
    ez[2] = 2*(q[3]*q[4] - q[1]*q[2]);
    ez[3] = 1 - 2*(q[2]^2 + q[3]^2);
    u[1] = ex[1]*v[1] + ex[2]*v[2] + ex[3]*v[3];
    u[2] = ey[1]*v[1] + ey[2]*v[2] + ey[3]*v[3];
    u[3] = ez[1]*v[1] + ez[2]*v[2] + ez[3]*v[3];
    for i in 1:3 loop
      der(r[i]) = v[i];
    end for;
    m*der(v[1]) = ex[1]*F[1] + ey[1]*F[2] + ez[1]*F[3];
    m*der(v[2]) = ex[2]*F[1] + ey[2]*F[2] + ez[2]*F[3];
    m*der(v[3]) = ex[3]*F[1] + ey[3]*F[2] + ez[3]*F[3] + N - m*g;
    der(q[1]) = 0.5*(-q[2]*w[1] - q[3]*w[2] - q[4]*w[3]);
    der(q[2]) = 0.5*(q[1]*w[1] + q[3]*w[3] - q[4]*w[2]);
    der(q[3]) = 0.5*(q[1]*w[2] - q[2]*w[3] + q[4]*w[1]);
    der(q[4]) = 0.5*(q[1]*w[3] + q[2]*w[2] - q[3]*w[1]);
    J[1]*der(w[1]) = T[1] + (J[2] - J[3])*w[2]*w[3];
    J[2]*der(w[2]) = T[2] + (J[3] - J[1])*w[3]*w[1];
    J[3]*der(w[3]) = T[3] + (J[1] - J[2])*w[1]*w[2];
    for i in 1:3 loop
      position[i] = r[i];
      velocity[i] = v[i];
      gyro[i] = w[i];
    end for;
    for i in 1:4 loop
      attitude[i] = q[i];
    end for;
  end RigidBody;

  partial model OnFeet "Spheres that the ground pushes up: k d (1 + c d'), never pulling"
    extends RigidBody;
    parameter Integer n = 1 "feet";
    parameter Real below = 0.1 "how far their centres lie below that of the body, m";
    parameter Real radius = 0.1;
    parameter Real k = 2000 "N/m";
    parameter Real c = 0.3 "s/m";
  protected
    Real fx[n] "where they are";
    Real fy[n];
    Real d[n] "depth";
    Real rate[n] "how fast it grows";
    Real up[n] "force";
    Real Tx;
    Real Ty;
    Real Tz;
  equation
    for i in 1:n loop
      d[i] = radius - r[3] - ex[3]*fx[i] - ey[3]*fy[i] + ez[3]*below;
      rate[i] = -v[3] - ex[3]*(-w[2]*below - w[3]*fy[i])
        - ey[3]*(w[3]*fx[i] + w[1]*below) - ez[3]*(w[1]*fy[i] - w[2]*fx[i]);
      up[i] = noEvent(if d[i] > 0 and 1 + c*rate[i] > 0 then k*d[i]*(1 + c*rate[i]) else 0);
    end for;
    N = sum(up);
    Tx = sum(up[i]*(fy[i]*ez[3] + below*ey[3]) for i in 1:n);
    Ty = sum(up[i]*(-below*ex[3] - fx[i]*ez[3]) for i in 1:n);
    Tz = sum(up[i]*(fx[i]*ey[3] - fy[i]*ex[3]) for i in 1:n);
  end OnFeet;

  model Quadrotor "Four rotors at 45 degrees; thrust goes with the square of the command"
    extends OnFeet(m = 1.2, J = {0.011, 0.012, 0.021}, n = 4, radius = 0.02, below = 0.1, k = 800,
      r(start = {0, 0, 0.5}));
    parameter Real strongest = 6 "thrust of a rotor at full command, N";
    parameter Real arm = 0.13 "of a rotor, along x and y, m";
    parameter Real drag = 0.016 "torque over thrust, m";
    input Real pwm[4](start = {0.68, 0.6795, 0.6805, 0.68}) "commands from 0 to 1: front left, rear left, rear right, front right";
  protected
    Real f[4];
  equation
    fx[1] = 0.1;
    fy[1] = 0.1;
    fx[2] = -0.1;
    fy[2] = 0.1;
    fx[3] = -0.1;
    fy[3] = -0.1;
    fx[4] = 0.1;
    fy[4] = -0.1;
    for i in 1:4 loop
      f[i] = strongest*pwm[i]^2;
    end for;
    F[1] = 0;
    F[2] = 0;
    F[3] = f[1] + f[2] + f[3] + f[4];
    T[1] = arm*(f[1] + f[2] - f[3] - f[4]) + Tx;
    T[2] = arm*(-f[1] + f[2] + f[3] - f[4]) + Ty;
    T[3] = drag*(f[1] - f[2] + f[3] - f[4]) + Tz;
  end Quadrotor;

  model Rover "Four sprung wheels; drive, rolling and side forces grow with the velocity"
    extends OnFeet(m = 20, J = {0.6, 1.1, 1.5}, n = 4, radius = 0.1, k = 4000, c = 0.5,
      r(start = {0, 0, 0.25}));
    input Real drive(start = 60) "N";
    input Real steer(start = 4) "N m";
  equation
    fx[1] = 0.3;
    fy[1] = 0.25;
    fx[2] = -0.3;
    fy[2] = 0.25;
    fx[3] = -0.3;
    fy[3] = -0.25;
    fx[4] = 0.3;
    fy[4] = -0.25;
    F[1] = drive - 15*u[1];
    F[2] = -200*u[2];
    F[3] = 0;
    T[1] = Tx;
    T[2] = Ty;
    T[3] = steer - 12*w[3] + Tz;
  end Rover;

  model FixedWing "Linear coefficients; lift along z of the body; three wheels without friction"
    extends OnFeet(m = 3, J = {0.15, 0.2, 0.32}, n = 3, radius = 0.05, below = 0.15, k = 3000, c = 0.4,
      r(start = {0, 0, 1.2}), v(start = {14, 0, 0}));
    parameter Real S = 0.5 "wing, m2";
    parameter Real chord = 0.25;
    parameter Real span = 2;
    input Real throttle(start = 0.2) "0 to 1";
    input Real elevator(start = 0) "rad, positive lifts the nose";
    input Real aileron(start = 0.01) "rad, positive lifts the left wing";
  protected
    Real alpha;
    Real beta;
    Real qS "dynamic pressure times wing, N";
  equation
    fx[1] = 0.3;
    fy[1] = 0;
    fx[2] = -0.1;
    fy[2] = 0.2;
    fx[3] = -0.1;
    fy[3] = -0.2;
    alpha = atan2(-u[3], u[1]);
    beta = atan2(u[2], u[1]);
    qS = 0.6125*S*(u[1]^2 + u[2]^2 + u[3]^2);
    F[1] = 12*throttle - qS*(0.04 + 0.6*alpha^2);
    F[2] = -0.5*qS*beta;
    F[3] = qS*(0.3 + 4.5*alpha);
    T[1] = qS*span*(0.1*aileron - 0.05*beta) - 1.2*w[1] + Tx;
    T[2] = -qS*chord*(0.03 - 0.8*alpha + 0.9*elevator) - 1.5*w[2] + Ty;
    T[3] = qS*span*0.06*beta - 0.8*w[3] + Tz;
  end FixedWing;
end Vehicles;
